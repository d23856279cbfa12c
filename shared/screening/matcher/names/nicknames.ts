import { canonicalSpelling } from './canonical_spelling.ts';

/** The names that a widely used short or pet name stands for, in canonical spelling; empty for any other. */
export const formalNames = (text: string): readonly string[] => formal.get(text) ?? none;

const none: readonly string[] = [];

// English, Spanish, Russian and Ukrainian, Arabic; a short name may stand for several.
const formal = namesOf(
  `alex alexander aleksandr alejandro aleksey alexei|sasha aleksandr alexander oleksandr aleksandra|shura aleksandr aleksandra
  |lyosha aleksey|alyosha aleksey|andy andrew andrey|bill william|billy william|will william|bob robert|bobby robert|rob robert
  |beto roberto alberto|ben benjamin|chuck charles|charlie charles|chris christopher christian|dan daniel|danny daniel|dave david
  |dima dmitry dmitri dmytro|mitya dmitry|don donald|ed edward eduardo|eddie edward eduardo|lalo eduardo|fred frederick alfred
  |paco francisco|pancho francisco|frank francis franklin|gus gustavo augustus|greg gregory grigory|grisha grigory|harry henry harold
  |igorek igor|ike isaac|jack john|johnny john|jim james|jimmy james|joe joseph jose|joey joseph|pepe jose|chepe jose|jon jonathan
  |chuy jesus|kate katherine ekaterina|katya ekaterina|ken kenneth|kolya nikolay nikolai mykola|kostya konstantin kostyantyn|larry lawrence
  |len leonard|lyonya leonid|liz elizabeth|lucho luis|manny manuel emanuel|manolo manuel|marge margaret|masha maria mariya|matt matthew
  |max maxim maksim maximilian|mike michael mikhail miguel|misha mikhail mykhailo|mo mohammed muhammad mohamed|moe mohammed muhammad
  |nacho ignacio|natasha natalya nataliya natalia|nate nathan nathaniel|nick nicholas nikolay|nico nicolas|olya olga|pasha pavel pavlo
  |pat patrick patricia|pete peter petr|petya petr petro|phil philip|quique enrique|kike enrique|ray raymond|raf rafael|rick richard ricardo
  |dick richard|ron ronald|rosti rostislav|sam samuel|serj sergey|seryozha sergey sergei serhiy|serge sergey sergei|slava vyacheslav
  stanislav yaroslav|steve steven stephen stefan|sveta svetlana|tanya tatyana tatiana|ted theodore edward|tim timothy timur|tolya anatoly
  anatoliy|tom thomas|tommy thomas|tony anthony antonio anton|toni antonio|tono antonio|vadik vadim|valera valery valeriy
  |vanya ivan|vasya vasily vasiliy|vic victor viktor|vitya viktor|vick viktor|vlad vladimir vladislav|vova vladimir volodymyr
  |volodya vladimir volodymyr|yura yury yuriy|zhenya yevgeny evgeny yevgeniy evgeniya|zhora georgy|gosha georgy igor|abdo abdullah
  |hamoudi mohammed muhammad|hamudi mohammed muhammad`,
);

function namesOf(groups: string): ReadonlyMap<string, readonly string[]> {
  return new Map(
    groups.split('|').map(group => {
      const [short = '', ...full] = group.trim().split(/\s+/);
      return [short, [...new Set(full.map(canonicalSpelling))]] as const;
    }),
  );
}
