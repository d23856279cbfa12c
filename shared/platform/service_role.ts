/** The role of the service: it owns nothing and may not change or remove what is in the log (see 0001). */
export const SERVICE_ROLE = 'oversight_service';
