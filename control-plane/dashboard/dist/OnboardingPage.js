import{r as e}from"./rolldown-runtime.js";import{Et as t,Ft as n,Mt as r,N as i,St as a,_ as o,c as s,ht as c,jt as l,x as u}from"./frame.js";import{A as d,Cn as f,E as ee,F as p,Hn as m,I as h,In as g,J as _,Ln as v,R as y,Z as b,_n as x,gn as S,mn as C,q as w,vn as T,yn as E}from"./forms.js";import{t as D}from"./messages4.js";import{b as O,p as te,x as k}from"./vendor.js";import{t as A}from"./Code.js";import{t as j}from"./CopyButton.js";var M=e(k(),1),N=`# Asks the edge about one user, with whatever rules may look at.
curl --silent --show-error "$HALYARD_EDGE_URL/ofrep/v1/evaluate/flags/new-checkout" \\
  --header "X-API-Key: $HALYARD_API_KEY" \\
  --header 'Content-Type: application/json' \\
  --data '{"context": {"targetingKey": "user-1", "email": "ada@acme.test", "country": "NL"}}'
`,P=`import { OpenFeature } from '@openfeature/server-sdk';
import { OFREPProvider } from '@openfeature/ofrep-provider';

const provider = new OFREPProvider({
  baseUrl: process.env.HALYARD_EDGE_URL,
  headers: [['X-API-Key', process.env.HALYARD_API_KEY]],
});
await OpenFeature.setProviderAndWait(provider);
const flags = OpenFeature.getClient();

// Asks the edge each time: about one user, with whatever rules may look at.
const user = { targetingKey: 'user-1', email: 'ada@acme.test', country: 'NL' };
const isNew = await flags.getBooleanValue('new-checkout', false, user);
console.log(isNew ? 'the new checkout' : 'the old checkout');
`,F=`import os

from openfeature import api
from openfeature.contrib.provider.ofrep import OFREPProvider
from openfeature.evaluation_context import EvaluationContext

api.set_provider(
    OFREPProvider(
        os.environ["HALYARD_EDGE_URL"],
        headers_factory=lambda: {"X-API-Key": os.environ["HALYARD_API_KEY"]},
    )
)
flags = api.get_client()

# Asks the edge each time: about one user, with whatever rules may look at.
user = EvaluationContext("user-1", {"email": "ada@acme.test", "country": "NL"})
is_new = flags.get_boolean_value("new-checkout", False, user)
print("the new checkout" if is_new else "the old checkout")
`,I=`import { OpenFeature, OpenFeatureProvider, useBooleanFlagValue } from '@openfeature/react-sdk';
import { OFREPWebProvider } from '@openfeature/ofrep-web-provider';

/** Call it once, before the first rendering. */
export async function connect(edge, clientKey, user) {
  await OpenFeature.setContext(user);
  await OpenFeature.setProviderAndWait(
    new OFREPWebProvider({ baseUrl: edge, headers: [['X-API-Key', clientKey]] }),
  );
}

function Checkout() {
  // Renders again when the flag changes.
  const isNew = useBooleanFlagValue('new-checkout', false);
  return <p>{isNew ? 'the new checkout' : 'the old checkout'}</p>;
}

export function App() {
  return (
    <OpenFeatureProvider>
      <Checkout />
    </OpenFeatureProvider>
  );
}
`,L=`import { OpenFeature, ProviderEvents } from '@openfeature/web-sdk';
import { OFREPWebProvider } from '@openfeature/ofrep-web-provider';

/** Fetches all flags for one user, and calls \`show\` with a value now and after each change. */
export async function follow(edge, clientKey, user, show) {
  await OpenFeature.setContext(user);
  await OpenFeature.setProviderAndWait(
    new OFREPWebProvider({ baseUrl: edge, headers: [['X-API-Key', clientKey]] }),
  );
  const flags = OpenFeature.getClient();
  const tell = () => show(flags.getBooleanValue('new-checkout', false));
  tell();
  flags.addHandler(ProviderEvents.ConfigurationChanged, tell);
}
`,R=`new-checkout`,z=[{id:`curl`,install:null,program:N,keyType:`server`},{id:`node`,install:`npm install @openfeature/server-sdk @openfeature/ofrep-provider`,program:P,keyType:`server`},{id:`python`,install:`pip install openfeature-sdk openfeature-provider-ofrep`,program:F,keyType:`server`},{id:`web`,install:`npm install @openfeature/web-sdk @openfeature/ofrep-web-provider`,program:L,keyType:`client`},{id:`react`,install:`npm install @openfeature/react-sdk @openfeature/ofrep-web-provider`,program:I,keyType:`client`}];function B(e,t){return`export HALYARD_EDGE_URL=${e}\nexport HALYARD_API_KEY=${t}`}var V={curl:`Shell, with curl`,node:`JavaScript, server`,python:`Python, server`,web:`JavaScript, browser`,react:`React`},H={title:()=>`First run`,lead:()=>`From here to a flag that your own program asks for takes about a minute.`,stepDone:()=>`done`,stepOpen:()=>`open`,flagTitle:()=>`A flag to ask for`,flagText:(e,t)=>`The flag ${e}, in the environment ${t}.`,createFlag:e=>`Create ${e}`,flagThere:e=>`${e} is there.`,keyTitle:()=>`A key for your program`,keyText:()=>`It is shown on this page only, until you leave it. It can be revoked at any time.`,createKey:()=>`Make a key`,keyMade:()=>`The key is made. It is filled in below.`,keyName:()=>`First run`,key:()=>`API key`,copyKey:()=>`Copy the key`,programTitle:()=>`A program that asks`,language:()=>`Language`,languageName:e=>V[e]??e,install:()=>`Install what it needs`,set:()=>`Tell it where to ask, and with which key`,run:()=>`Run it`,paste:()=>`Paste it into a terminal`,call:e=>`Call it with the address ${e} and the key above`,copySetting:()=>`Copy the setting`,copyProgram:()=>`Copy the program`,waitTitle:()=>`Your first evaluation`,waiting:()=>`Waiting for your program to ask.`,arrived:e=>e===null?`It asked, and was answered.`:`It asked: ${v(e,`evaluation`,`evaluations`)} so far.`,toggleTitle:()=>`Now change the answer`,toggleText:()=>`Switch the flag and run the program again. One that follows changes at once.`,toggled:e=>`The flag is ${e?`on`:`off`} now. Run the program again: its answer is ${e?`true`:`false`}.`,toggle:(e,t)=>`${e} in ${t}`,noEnvironment:()=>`No environment`,noEnvironmentText:()=>`The project has none, so there is nowhere to ask.`,finish:()=>`Go to the flags`},U=O(),W=`…`;function G({language:e,onLanguage:t,apiKey:n}){let r=e.keyType===`server`,i=B(location.origin,n??W),a=e.id===`curl`,o=a?`${i}\n${e.program}`:e.program;return(0,U.jsxs)(U.Fragment,{children:[(0,U.jsx)(s,{label:H.language(),choices:z.map(({id:e})=>({id:e,label:H.languageName(e)})),value:e.id,onChange:e=>{let n=z.find(t=>t.id===e);n&&t(n)}}),e.install===null?null:(0,U.jsxs)(U.Fragment,{children:[(0,U.jsx)(`h3`,{children:H.install()}),(0,U.jsx)(A,{label:H.install(),text:e.install})]}),r&&!a?(0,U.jsxs)(U.Fragment,{children:[(0,U.jsx)(`h3`,{children:H.set()}),(0,U.jsx)(A,{label:H.set(),text:i}),(0,U.jsx)(j,{text:i,label:H.copySetting()})]}):null,(0,U.jsx)(`h3`,{children:a?H.paste():r?H.run():H.call(location.origin)}),(0,U.jsx)(A,{label:H.programTitle(),text:o}),(0,U.jsx)(j,{text:o,label:H.copyProgram()})]})}function K(e){return l({queryKey:[`onboarding`,`flag`,e],queryFn:async({signal:t})=>{let n=await y(p.GET(`/v1/projects/{projectID}/flags/{flagKey}`,{params:{path:{projectID:e,flagKey:R}},signal:t}));if(n.ok)return n.data;if(n.refusal.kind===`absent`)return null;throw new w(n.refusal)}})}function q(e,t){return l({queryKey:[`onboarding`,`state`,e,t],queryFn:({signal:n})=>h(p.GET(`/v1/projects/{projectID}/flags/{flagKey}/environments/{envID}`,{params:{path:{projectID:e,flagKey:R,envID:t}},signal:n}))})}function J(e){return l({queryKey:[`onboarding`,`asked`,e],queryFn:async({signal:t})=>{let{counters:n}=await h(p.GET(`/v1/metrics/evaluations`,{signal:t}));return n.filter(({flag_key:t,env_id:n})=>t===`new-checkout`&&n===e).reduce((e,{count:t})=>e+t,0)}})}var Y=l({queryKey:[`onboarding`,`steps`],queryFn:({signal:e})=>h(p.GET(`/v1/onboarding`,{signal:e}))}),X={page:`_page_16awz_2`,step:`_step_16awz_6`,mark:`_mark_16awz_16`,done:`_done_16awz_28`,body:`_body_16awz_34`};function Z({position:e,title:t,isDone:n,children:r}){return(0,U.jsxs)(`li`,{className:X.step,children:[(0,U.jsxs)(`span`,{className:`${X.mark} ${n?X.done:``}`,children:[n?(0,U.jsx)(f,{size:16,"aria-hidden":!0}):g(e),(0,U.jsx)(`span`,{className:`hidden`,children:n?H.stepDone():H.stepOpen()})]}),(0,U.jsxs)(`div`,{className:X.body,children:[(0,U.jsx)(`h2`,{children:t}),r]})]})}function ne(e,t){if(e===void 0)return null;let n=Object.entries(t).filter(([t,n])=>n&&e[t]===!1);return n.length===0?null:Object.fromEntries(n)}var Q=2e3;function re(e){let i=n(),a=t().permissions.includes(`metrics.read`),o=r({...J(e),enabled:a,refetchInterval:Q}),s=r({...Y,refetchInterval:({state:e})=>a||e.data?.first_evaluation?!1:Q});if(c(({event:t,data:n})=>{if(t!==`usage`)return;let r=n.first_evaluation;r?.env_id===e&&r.flag_key===`new-checkout`&&(i.setQueryData(J(e).queryKey,e=>Math.max(e??0,1)),i.invalidateQueries({queryKey:[`onboarding`]}))}),!a)return{isAsked:s.data?.first_evaluation===!0,count:null};let l=o.data??0;return{isAsked:l>0,count:l}}function ie({project:e,environment:i}){let{permissions:a}=t(),s=n(),[c,l]=(0,M.useState)(z[0]),[u,f]=(0,M.useState)({}),[h,g]=(0,M.useState)(null),v=r(K(e.id)),x=v.data!==void 0&&v.data!==null,C=r({...q(e.id,i.id),enabled:x}),{isAsked:w,count:T}=re(i.id),{data:E}=r(Y),[D,O]=(0,M.useState)(!1),k=ee(),N=(c&&u[c.keyType])??null,P=ne(E,{first_flag_created:x,first_sdk_connected:w,first_evaluation:w}),F=P===null?null:JSON.stringify(P);(0,M.useEffect)(()=>{F!==null&&$(s,JSON.parse(F))},[F,s]);async function I(){g(`flag`);let t=await y(p.POST(`/v1/projects/{projectID}/flags`,{params:{path:{projectID:e.id}},body:{key:R,name:R}}));g(null),!t.ok&&t.refusal.kind!==`conflict`&&m(d(t.refusal)),await s.invalidateQueries({queryKey:[`onboarding`]})}async function L(e){g(`key`);let t=await y(p.POST(`/v1/environments/{envID}/api-keys`,{params:{path:{envID:i.id}},body:{name:H.keyName(),type:e}}));g(null),t.ok?f({...u,[e]:t.data.key}):m(d(t.refusal))}async function B(t){g(`state`);let n=await y(p.PUT(`/v1/projects/{projectID}/flags/{flagKey}/environments/{envID}`,{params:{path:{projectID:e.id,flagKey:R,envID:i.id},query:{wait:`edges`}},body:{enabled:t}}));g(null),n.ok?O(!0):m(d(n.refusal)),await s.invalidateQueries({queryKey:[`onboarding`,`state`]})}return c===void 0?null:(0,U.jsxs)(`ol`,{children:[(0,U.jsx)(Z,{position:1,title:H.flagTitle(),isDone:x,children:x?(0,U.jsx)(`p`,{children:H.flagThere(R)}):(0,U.jsxs)(U.Fragment,{children:[(0,U.jsx)(`p`,{className:`soft`,children:H.flagText(R,i.name)}),(0,U.jsx)(_,{look:`primary`,isDisabled:!a.includes(`flags.create`)||!k,isPending:h===`flag`,onPress:I,children:H.createFlag(R)})]})}),(0,U.jsxs)(Z,{position:2,title:H.keyTitle(),isDone:N!==null,children:[(0,U.jsx)(`p`,{className:`soft`,children:H.keyText()}),N===null?(0,U.jsx)(_,{look:x?`primary`:`secondary`,isDisabled:!a.includes(`api_keys.manage`)||!k,isPending:h===`key`,onPress:()=>void L(c.keyType),children:H.createKey()}):(0,U.jsxs)(U.Fragment,{children:[(0,U.jsx)(`p`,{role:`status`,children:H.keyMade()}),(0,U.jsx)(A,{label:H.key(),text:N}),(0,U.jsx)(j,{text:N,label:H.copyKey()})]})]}),(0,U.jsx)(Z,{position:3,title:H.programTitle(),isDone:w,children:(0,U.jsx)(G,{language:c,onLanguage:l,apiKey:N})}),(0,U.jsx)(Z,{position:4,title:H.waitTitle(),isDone:w,children:w?(0,U.jsx)(S,{tone:`good`,children:H.arrived(T)}):(0,U.jsx)(S,{tone:`note`,children:H.waiting()})}),(0,U.jsxs)(Z,{position:5,title:H.toggleTitle(),isDone:D,children:[(0,U.jsx)(`p`,{className:`soft`,children:H.toggleText()}),(0,U.jsx)(o,{label:H.toggle(R,i.name),isOn:C.data?.enabled===!0,isDisabled:!x||h===`state`||!a.includes(`flags.toggle`)||!k,onChange:e=>void B(e)}),D&&C.data!==void 0?(0,U.jsx)(`p`,{role:`status`,children:H.toggled(C.data.enabled)}):null,(0,U.jsx)(te,{to:`/p/$project/flags`,params:{project:e.slug},className:b(D?`primary`:`secondary`),onClick:()=>void $(s,{tour_completed:!0}),children:H.finish()})]})]})}async function $(e,t){let n=await y(p.PATCH(`/v1/onboarding`,{body:t}));n.ok&&e.setQueryData(Y.queryKey,n.data)}function ae(){C(H.title());let e=i();return e===void 0?(0,U.jsx)(x,{isPage:!0,title:D.noProjectTitle(),children:D.noProject()}):(0,U.jsxs)(`div`,{className:`page ${X.page}`,children:[(0,U.jsxs)(`div`,{className:`stack close`,children:[(0,U.jsx)(`h1`,{children:H.title()}),(0,U.jsx)(`p`,{className:`soft`,children:H.lead()})]}),(0,U.jsx)(oe,{project:e})]})}function oe({project:e}){let{data:t,error:n,refetch:i}=r(u(e.id));if(t===void 0)return n instanceof w?(0,U.jsx)(a,{refusal:n.refusal,onRetry:()=>void i()}):(0,U.jsx)(T,{children:(0,U.jsx)(E,{height:`20rem`})});let o=t.data.find(({slug:e})=>e===`dev`)??t.data[0];return o===void 0?(0,U.jsx)(x,{title:H.noEnvironment(),children:H.noEnvironmentText()}):(0,U.jsx)(ie,{project:e,environment:o})}export{ae as OnboardingPage};