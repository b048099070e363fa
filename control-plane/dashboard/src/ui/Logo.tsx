/** The mark of `public/icon.svg`, drawn in place so that the first page needs no further request. */
export function Logo({ size = 26 }: { size?: number }) {
  return (
    <svg viewBox="0 0 32 32" width={size} height={size} aria-hidden="true">
      <rect width="32" height="32" rx="7" fill="#0b4f86" />
      <path d="M10 6v20" stroke="#fff" strokeWidth="2.5" strokeLinecap="round" />
      <path d="M12.5 7.5h12l-3.5 4.5 3.5 4.5h-12z" fill="#7fd1b9" />
    </svg>
  );
}
