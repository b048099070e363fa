import { Link } from '@tanstack/react-router';
import { Ellipsis } from 'lucide-react';
import { type CSSProperties, memo, type Ref, useState } from 'react';
import { roleName } from '../../../parts/messages';
import type { Me } from '../../../session/me';
import { Chip } from '../../../ui/Chip';
import { Skeleton } from '../../../ui/Feedback';
import { useNow } from '../../../ui/useNow';
import { Value } from '../../../ui/Value';
import { team } from '../messages';
import type { TeamMember } from '../queries';
import { changeBarrier, isSelf, mayManage } from '../rules';
import styles from '../Team.module.css';
import type { useTeamRows } from '../useTeamRows';
import { MemberMenu, type MenuTarget } from './MemberMenu';
import type { Asked } from './MembersTab';

/** The height of a row with two lines, in a wide window. */
export const ROW_HEIGHT = 61;

/** Those who may not manage members see no sign-ins of others, and have no actions. */
const COLUMNS = {
  manager: 'minmax(0, 3fr) minmax(0, 2fr) minmax(0, 1.5fr) minmax(0, 1.5fr) minmax(0, 1fr) 2.5rem',
  other: 'minmax(0, 3fr) minmax(0, 2fr) minmax(0, 1.5fr)',
};

interface MemberListProps {
  rows: ReturnType<typeof useTeamRows>;
  me: Me;
  onAsk: (asked: Asked) => void;
}

/** Members in rows, of which only those in view are there. Each says what its parts are; narrow screens get cards. */
export function MemberList({ rows, me, onAsk }: MemberListProps) {
  const now = useNow(60_000);
  const isManager = mayManage(me);
  const [menu, setMenu] = useState<MenuTarget | null>(null);
  const titles = [
    team.name(),
    team.role(),
    team.joined(),
    ...(isManager ? [team.lastSignIn(), team.mfa()] : []),
  ];
  return (
    <div
      className={styles.table}
      style={{ '--columns': isManager ? COLUMNS.manager : COLUMNS.other } as CSSProperties}
    >
      <div className={styles.head} aria-hidden>
        {titles.map(title => (
          <span key={title}>{title}</span>
        ))}
      </div>
      <div ref={rows.holder}>
        <ul className={styles.rows} style={{ blockSize: rows.height }} aria-label={team.table()}>
          {rows.shown.map(item => (
            <MemberRow
              key={item.key}
              ref={rows.measure}
              index={item.index}
              total={rows.total}
              top={rows.top(item)}
              member={rows.at(item.index)}
              me={me}
              now={now}
              onMenu={setMenu}
            />
          ))}
        </ul>
      </div>
      {menu === null ? null : <MemberMenu {...menu} me={me} onAsk={onAsk} onClose={() => setMenu(null)} />}
    </div>
  );
}

interface MemberRowProps {
  ref: Ref<HTMLLIElement>;
  index: number;
  total: number;
  top: number;
  member: TeamMember | undefined;
  me: Me;
  now: number;
  onMenu: (target: MenuTarget) => void;
}

const MemberRow = memo(function MemberRow({
  ref,
  index,
  total,
  top,
  member,
  me,
  now,
  onMenu,
}: MemberRowProps) {
  const isManager = mayManage(me);
  return (
    <li
      ref={ref}
      data-index={index}
      className={styles.row}
      style={{ transform: `translateY(${top}px)` }}
      aria-posinset={index + 1}
      aria-setsize={total}
    >
      {member === undefined ? (
        <div className={styles.person}>
          <Skeleton height="2.5rem" width="12rem" />
        </div>
      ) : (
        <>
          <div className={styles.person}>
            <span className="row">
              <Link to="/team/$member" params={{ member: member.member_id }}>
                <Value>{member.name}</Value>
              </Link>
              {isSelf(me, member) ? <Chip>{team.you()}</Chip> : null}
            </span>
            {member.email === null || member.email === member.name ? null : (
              <span className="soft small">{member.email}</span>
            )}
          </div>
          <div>
            <span className={styles.caption}>{team.role()}</span>
            <span className={styles.role}>
              {roleName(member.role)}
              {member.custom_role_id === null ? null : (
                <span className="soft small">{team.customRole()}</span>
              )}
            </span>
          </div>
          <div>
            <span className={styles.caption}>{team.joined()}</span>
            {member.invited ? (
              <Chip tone="warn">{team.pending()}</Chip>
            ) : (
              <time dateTime={member.joined_at} title={team.at(member.joined_at)}>
                {team.date(member.joined_at)}
              </time>
            )}
          </div>
          {isManager ? (
            <>
              <div>
                <span className={styles.caption}>{team.lastSignIn()}</span>
                {member.last_login_at === null ? (
                  <span className="soft">{team.never()}</span>
                ) : (
                  <time dateTime={member.last_login_at} title={team.at(member.last_login_at)}>
                    {team.ago(member.last_login_at, now)}
                  </time>
                )}
              </div>
              <div>
                <span className={styles.caption}>{team.mfa()}</span>
                {member.mfa_enabled === null ? (
                  <span className="soft">{team.unknown()}</span>
                ) : (
                  <Chip tone={member.mfa_enabled ? 'good' : 'plain'}>
                    {member.mfa_enabled ? team.on() : team.off()}
                  </Chip>
                )}
              </div>
              <div className={styles.end}>
                <Actions member={member} me={me} onMenu={onMenu} />
              </div>
            </>
          ) : null}
        </>
      )}
    </li>
  );
});

interface ActionsProps {
  member: TeamMember;
  me: Me;
  onMenu: (target: MenuTarget) => void;
}

/** Opens the menu of the list. A menu in each row would make scrolling slow. */
function Actions({ member, me, onMenu }: ActionsProps) {
  const barrier = changeBarrier(me, member);
  if (barrier !== null) return <span className="hidden">{team.barrier(barrier)}</span>;
  return (
    <button
      type="button"
      className={styles.more}
      aria-haspopup="menu"
      aria-label={team.actionsOf(member.name)}
      onClick={({ currentTarget: button }) => onMenu({ member, button })}
    >
      <Ellipsis size={18} aria-hidden />
    </button>
  );
}
