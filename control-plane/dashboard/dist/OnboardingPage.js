import{r as e}from"./rolldown-runtime.js";import{Ct as t,Lt as n,Nt as r,Ot as i,P as a,Pt as o,S as s,gt as c,l,v as u}from"./frame.js";import{A as d,Cn as f,E as p,F as m,Hn as h,I as g,In as _,J as v,Ln as y,R as b,Z as ee,_n as x,gn as S,mn as C,q as w,vn as T,yn as E}from"./forms.js";import{t as D}from"./messages7.js";import{b as O,p as k,x as A}from"./vendor.js";import{t as j}from"./Code.js";import{t as M}from"./CopyButton.js";var N=e(A(),1),P=`# Asks the edge about one user, with whatever rules may look at.
curl --silent --show-error "$HALYARD_EDGE_URL/ofrep/v1/evaluate/flags/new-checkout" \\
  --header "X-API-Key: $HALYARD_API_KEY" \\
  --header 'Content-Type: application/json' \\
  --data '{"context": {"targetingKey": "user-1", "email": "ada@acme.test", "country": "NL"}}'
`,F=`import { OpenFeature } from '@openfeature/server-sdk';
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
`,I=`import os

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
`,L=`import { OpenFeature, OpenFeatureProvider, useBooleanFlagValue } from '@openfeature/react-sdk';
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
`,R=`import { OpenFeature, ProviderEvents } from '@openfeature/web-sdk';
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
`,z=`new-checkout`,B=[{id:`curl`,install:null,program:P,keyType:`server`},{id:`node`,install:`npm install @openfeature/server-sdk @openfeature/ofrep-provider`,program:F,keyType:`server`},{id:`python`,install:`pip install openfeature-sdk openfeature-provider-ofrep`,program:I,keyType:`server`},{id:`web`,install:`npm install @openfeature/web-sdk @openfeature/ofrep-web-provider`,program:R,keyType:`client`},{id:`react`,install:`npm install @openfeature/react-sdk @openfeature/ofrep-web-provider`,program:L,keyType:`client`}];function V(e,t){return`export HALYARD_EDGE_URL=${e}\nexport HALYARD_API_KEY=${t}`}var H={curl:`Shell, with curl`,node:`JavaScript, server`,python:`Python, server`,web:`JavaScript, browser`,react:`React`},U={title:()=>`First run`,lead:()=>`From here to a flag that your own program asks for takes about a minute.`,stepDone:()=>`done`,stepOpen:()=>`open`,flagTitle:()=>`A flag to ask for`,flagText:(e,t)=>`The flag ${e}, in the environment ${t}.`,createFlag:e=>`Create ${e}`,flagThere:e=>`${e} is there.`,keyTitle:()=>`A key for your program`,keyText:()=>`It is shown on this page only, until you leave it. It can be revoked at any time.`,createKey:()=>`Make a key`,keyMade:()=>`The key is made. It is filled in below.`,keyName:()=>`First run`,key:()=>`API key`,copyKey:()=>`Copy the key`,programTitle:()=>`A program that asks`,language:()=>`Language`,languageName:e=>H[e]??e,install:()=>`Install what it needs`,set:()=>`Tell it where to ask, and with which key`,run:()=>`Run it`,paste:()=>`Paste it into a terminal`,call:e=>`Call it with the address ${e} and the key above`,copySetting:()=>`Copy the setting`,copyProgram:()=>`Copy the program`,waitTitle:()=>`Your first evaluation`,waiting:()=>`Waiting for your program to ask.`,arrived:e=>e===null?`It asked, and was answered.`:`It asked: ${y(e,`evaluation`,`evaluations`)} so far.`,toggleTitle:()=>`Now change the answer`,toggleText:()=>`Switch the flag and run the program again. One that follows changes at once.`,toggled:e=>`The flag is ${e?`on`:`off`} now. Run the program again: its answer is ${e?`true`:`false`}.`,toggle:(e,t)=>`${e} in ${t}`,noEnvironment:()=>`No environment`,noEnvironmentText:()=>`The project has none, so there is nowhere to ask.`,finish:()=>`Go to the flags`},W=O(),G=`…`;function K({language:e,onLanguage:t,apiKey:n}){let r=e.keyType===`server`,i=V(location.origin,n??G),a=e.id===`curl`,o=a?`${i}\n${e.program}`:e.program;return(0,W.jsxs)(W.Fragment,{children:[(0,W.jsx)(l,{label:U.language(),choices:B.map(({id:e})=>({id:e,label:U.languageName(e)})),value:e.id,onChange:e=>{let n=B.find(t=>t.id===e);n&&t(n)}}),e.install===null?null:(0,W.jsxs)(W.Fragment,{children:[(0,W.jsx)(`h3`,{children:U.install()}),(0,W.jsx)(j,{label:U.install(),text:e.install})]}),r&&!a?(0,W.jsxs)(W.Fragment,{children:[(0,W.jsx)(`h3`,{children:U.set()}),(0,W.jsx)(j,{label:U.set(),text:i}),(0,W.jsx)(M,{text:i,label:U.copySetting()})]}):null,(0,W.jsx)(`h3`,{children:a?U.paste():r?U.run():U.call(location.origin)}),(0,W.jsx)(j,{label:U.programTitle(),text:o}),(0,W.jsx)(M,{text:o,label:U.copyProgram()})]})}function q(e){return r({queryKey:[`onboarding`,`flag`,e],queryFn:async({signal:t})=>{let n=await b(m.GET(`/v1/projects/{projectID}/flags/{flagKey}`,{params:{path:{projectID:e,flagKey:z}},signal:t}));if(n.ok)return n.data;if(n.refusal.kind===`absent`)return null;throw new w(n.refusal)}})}function te(e,t){return r({queryKey:[`onboarding`,`state`,e,t],queryFn:({signal:n})=>g(m.GET(`/v1/projects/{projectID}/flags/{flagKey}/environments/{envID}`,{params:{path:{projectID:e,flagKey:z,envID:t}},signal:n}))})}function J(e){return r({queryKey:[`onboarding`,`asked`,e],queryFn:async({signal:t})=>{let{counters:n}=await g(m.GET(`/v1/metrics/evaluations`,{signal:t}));return n.filter(({flag_key:t,env_id:n})=>t===`new-checkout`&&n===e).reduce((e,{count:t})=>e+t,0)}})}var Y=r({queryKey:[`onboarding`,`steps`],queryFn:({signal:e})=>g(m.GET(`/v1/onboarding`,{signal:e}))}),X={page:`_page_16awz_2`,step:`_step_16awz_6`,mark:`_mark_16awz_16`,done:`_done_16awz_28`,body:`_body_16awz_34`};function Z({position:e,title:t,isDone:n,children:r}){return(0,W.jsxs)(`li`,{className:X.step,children:[(0,W.jsxs)(`span`,{className:`${X.mark} ${n?X.done:``}`,children:[n?(0,W.jsx)(f,{size:16,"aria-hidden":!0}):_(e),(0,W.jsx)(`span`,{className:`hidden`,children:n?U.stepDone():U.stepOpen()})]}),(0,W.jsxs)(`div`,{className:X.body,children:[(0,W.jsx)(`h2`,{children:t}),r]})]})}function ne(e,t){if(e===void 0)return null;let n=Object.entries(t).filter(([t,n])=>n&&e[t]===!1);return n.length===0?null:Object.fromEntries(n)}var Q=2e3;function re(e){let t=n(),r=i().permissions.includes(`metrics.read`),a=o({...J(e),enabled:r,refetchInterval:Q}),s=o({...Y,refetchInterval:({state:e})=>r||e.data?.first_evaluation?!1:Q});if(c(({event:n,data:r})=>{if(n!==`usage`)return;let i=r.first_evaluation;i?.env_id===e&&i.flag_key===`new-checkout`&&(t.setQueryData(J(e).queryKey,e=>Math.max(e??0,1)),t.invalidateQueries({queryKey:[`onboarding`]}))}),!r)return{isAsked:s.data?.first_evaluation===!0,count:null};let l=a.data??0;return{isAsked:l>0,count:l}}function ie({project:e,environment:t}){let{permissions:r}=i(),a=n(),[s,c]=(0,N.useState)(B[0]),[l,f]=(0,N.useState)({}),[g,_]=(0,N.useState)(null),y=o(q(e.id)),x=y.data!==void 0&&y.data!==null,C=o({...te(e.id,t.id),enabled:x}),{isAsked:w,count:T}=re(t.id),{data:E}=o(Y),[D,O]=(0,N.useState)(!1),A=p(),P=(s&&l[s.keyType])??null,F=ne(E,{first_flag_created:x,first_sdk_connected:w,first_evaluation:w}),I=F===null?null:JSON.stringify(F);(0,N.useEffect)(()=>{I!==null&&$(a,JSON.parse(I))},[I,a]);async function L(){_(`flag`);let t=await b(m.POST(`/v1/projects/{projectID}/flags`,{params:{path:{projectID:e.id}},body:{key:z,name:z}}));_(null),!t.ok&&t.refusal.kind!==`conflict`&&h(d(t.refusal)),await a.invalidateQueries({queryKey:[`onboarding`]})}async function R(e){_(`key`);let n=await b(m.POST(`/v1/environments/{envID}/api-keys`,{params:{path:{envID:t.id}},body:{name:U.keyName(),type:e}}));_(null),n.ok?f({...l,[e]:n.data.key}):h(d(n.refusal))}async function V(n){_(`state`);let r=await b(m.PUT(`/v1/projects/{projectID}/flags/{flagKey}/environments/{envID}`,{params:{path:{projectID:e.id,flagKey:z,envID:t.id},query:{wait:`edges`}},body:{enabled:n}}));_(null),r.ok?O(!0):h(d(r.refusal)),await a.invalidateQueries({queryKey:[`onboarding`,`state`]})}return s===void 0?null:(0,W.jsxs)(`ol`,{children:[(0,W.jsx)(Z,{position:1,title:U.flagTitle(),isDone:x,children:x?(0,W.jsx)(`p`,{children:U.flagThere(z)}):(0,W.jsxs)(W.Fragment,{children:[(0,W.jsx)(`p`,{className:`soft`,children:U.flagText(z,t.name)}),(0,W.jsx)(v,{look:`primary`,isDisabled:!r.includes(`flags.create`)||!A,isPending:g===`flag`,onPress:L,children:U.createFlag(z)})]})}),(0,W.jsxs)(Z,{position:2,title:U.keyTitle(),isDone:P!==null,children:[(0,W.jsx)(`p`,{className:`soft`,children:U.keyText()}),P===null?(0,W.jsx)(v,{look:x?`primary`:`secondary`,isDisabled:!r.includes(`api_keys.manage`)||!A,isPending:g===`key`,onPress:()=>void R(s.keyType),children:U.createKey()}):(0,W.jsxs)(W.Fragment,{children:[(0,W.jsx)(`p`,{role:`status`,children:U.keyMade()}),(0,W.jsx)(j,{label:U.key(),text:P}),(0,W.jsx)(M,{text:P,label:U.copyKey()})]})]}),(0,W.jsx)(Z,{position:3,title:U.programTitle(),isDone:w,children:(0,W.jsx)(K,{language:s,onLanguage:c,apiKey:P})}),(0,W.jsx)(Z,{position:4,title:U.waitTitle(),isDone:w,children:w?(0,W.jsx)(S,{tone:`good`,children:U.arrived(T)}):(0,W.jsx)(S,{tone:`note`,children:U.waiting()})}),(0,W.jsxs)(Z,{position:5,title:U.toggleTitle(),isDone:D,children:[(0,W.jsx)(`p`,{className:`soft`,children:U.toggleText()}),(0,W.jsx)(u,{label:U.toggle(z,t.name),isOn:C.data?.enabled===!0,isDisabled:!x||g===`state`||!r.includes(`flags.toggle`)||!A,onChange:e=>void V(e)}),D&&C.data!==void 0?(0,W.jsx)(`p`,{role:`status`,children:U.toggled(C.data.enabled)}):null,(0,W.jsx)(k,{to:`/p/$project/flags`,params:{project:e.slug},className:ee(D?`primary`:`secondary`),onClick:()=>void $(a,{tour_completed:!0}),children:U.finish()})]})]})}async function $(e,t){let n=await b(m.PATCH(`/v1/onboarding`,{body:t}));n.ok&&e.setQueryData(Y.queryKey,n.data)}function ae(){C(U.title());let e=a();return e===void 0?(0,W.jsx)(x,{isPage:!0,title:D.noProjectTitle(),children:D.noProject()}):(0,W.jsxs)(`div`,{className:`page ${X.page}`,children:[(0,W.jsxs)(`div`,{className:`stack close`,children:[(0,W.jsx)(`h1`,{children:U.title()}),(0,W.jsx)(`p`,{className:`soft`,children:U.lead()})]}),(0,W.jsx)(oe,{project:e})]})}function oe({project:e}){let{data:n,error:r,refetch:i}=o(s(e.id));if(n===void 0)return r instanceof w?(0,W.jsx)(t,{refusal:r.refusal,onRetry:()=>void i()}):(0,W.jsx)(T,{children:(0,W.jsx)(E,{height:`20rem`})});let a=n.data.find(({slug:e})=>e===`dev`)??n.data[0];return a===void 0?(0,W.jsx)(x,{title:U.noEnvironment(),children:U.noEnvironmentText()}):(0,W.jsx)(ie,{project:e,environment:a})}export{ae as OnboardingPage};