import { Link } from '@tanstack/react-router';
import { X } from 'lucide-react';
import { Dialog } from 'react-aria-components/Dialog';
import { Modal, ModalOverlay } from 'react-aria-components/Modal';
import { t } from '../messages/en';
import { useMe } from '../session/me';
import { IconButton } from '../ui/Button';
import { Logo } from '../ui/Logo';
import styles from './Frame.module.css';
import { type Entry, OF_ORGANIZATION, OF_PROJECT, SETTINGS, shown } from './navigation';
import { ProjectSwitcher } from './ProjectSwitcher';
import { useCurrentProject } from './project';

/** The navigation beside the page. */
export function Sidebar() {
  return (
    <nav className={styles.side} aria-label={t.frame.navigation()}>
      <Brand />
      <Pages />
    </nav>
  );
}

/** The navigation over the page, where there is no room beside it. A chosen page closes it. */
export function Drawer({ isOpen, onClose }: { isOpen: boolean; onClose: () => void }) {
  return (
    <ModalOverlay
      className={styles.veil}
      isOpen={isOpen}
      onOpenChange={open => open || onClose()}
      isDismissable
    >
      <Modal className={styles.drawer}>
        <Dialog className={styles.side} aria-label={t.frame.navigation()}>
          <div className="row apart">
            <Brand />
            <IconButton label={t.common.close()} onPress={onClose}>
              <X size={20} aria-hidden />
            </IconButton>
          </div>
          <nav aria-label={t.frame.navigation()} className={styles.stacked}>
            <Pages onChosen={onClose} />
          </nav>
        </Dialog>
      </Modal>
    </ModalOverlay>
  );
}

function Brand() {
  return (
    <Link to="/" className={styles.brand}>
      <Logo size={24} />
      <span>{t.common.product()}</span>
    </Link>
  );
}

function Pages({ onChosen }: { onChosen?: () => void }) {
  const me = useMe();
  const project = useCurrentProject();
  return (
    <>
      <ProjectSwitcher />
      <div>
        {project === undefined ? null : (
          <ul>
            {shown(OF_PROJECT, me).map(({ to, label, icon: Icon }) => (
              <li key={to}>
                <Link to={to} params={{ project: project.slug }} className={styles.link} onClick={onChosen}>
                  <Icon size={16} aria-hidden />
                  {label()}
                </Link>
              </li>
            ))}
          </ul>
        )}
        <Group title={t.frame.organization()} entries={shown(OF_ORGANIZATION, me)} onChosen={onChosen} />
        <Group title={t.frame.settings()} entries={shown(SETTINGS, me)} onChosen={onChosen} />
      </div>
    </>
  );
}

interface GroupProps {
  title: string;
  entries: readonly Entry[];
  onChosen: (() => void) | undefined;
}

function Group({ title, entries, onChosen }: GroupProps) {
  if (entries.length === 0) return null;
  return (
    <>
      <p className={styles.heading}>{title}</p>
      <ul>
        {entries.map(({ to, label, icon: Icon }) => (
          <li key={to}>
            <Link to={to} className={styles.link} onClick={onChosen}>
              <Icon size={16} aria-hidden />
              {label()}
            </Link>
          </li>
        ))}
      </ul>
    </>
  );
}
