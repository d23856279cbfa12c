// What the server uses of Preact (tsconfig.json leads here). Preact's own types would bring the browser's names, such as `event` and
// `status`, into every file.

export type VNode = { readonly type: unknown; readonly props: object; readonly key: unknown };
export type ComponentChildren = VNode | string | number | boolean | null | undefined | readonly ComponentChildren[];

/** `htm/preact` */
export function html(strings: TemplateStringsArray, ...values: unknown[]): VNode;
/** `preact-render-to-string` */
export function renderToString(tree: VNode): string;
