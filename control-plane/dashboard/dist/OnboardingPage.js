const __vite__mapDeps=(i,m=__vite__mapDeps,d=(m.f||(m.f=["./NoProject.js","./rolldown-runtime.js","./frame.js","./forms.js","./vendor.js","./MayNot.js","./messages.js","./messages11.js"])))=>i.map(i=>d[i]);
import{r as e}from"./rolldown-runtime.js";import{D as t,P as n,R as r,_ as i,d as a,en as o,f as s,mn as c,ot as l,sn as u}from"./frame.js";import{E as d,Mn as f,Nn as p,at as m,c as h,d as g,k as ee,kn as _,l as v,lt as y,nr as b,nt as x,ot as S,pt as C,s as w,t as T,tr as E,ut as D}from"./forms.js";import{b as O,f as k,y as A}from"./vendor.js";import{t as j}from"./Code.js";import{t as M}from"./MayNot.js";import{g as N,l as te,o as P,r as F}from"./queries4.js";import{t as I}from"./NoEdgeUrl.js";var L=e(O(),1),R=`# Asks the edge about one user, with whatever rules may look at.
curl --silent --show-error "$HALYARD_EDGE_URL/ofrep/v1/evaluate/flags/new-checkout" \\
  --header "X-API-Key: $HALYARD_API_KEY" \\
  --header 'Content-Type: application/json' \\
  --data '{"context": {"targetingKey": "user-1", "email": "ada@acme.test", "country": "NL"}}'
`,z=`import { OpenFeature } from '@openfeature/server-sdk';
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
`,B=`import os

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
`,V=`import { OpenFeature, OpenFeatureProvider, useBooleanFlagValue } from '@openfeature/react-sdk';
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
`,H=`import { OpenFeature, ProviderEvents } from '@openfeature/web-sdk';
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
`,U=`new-checkout`,W=[{id:`curl`,install:null,program:R,keyType:`server`},{id:`node`,install:`npm install @openfeature/server-sdk @openfeature/ofrep-provider`,program:z,keyType:`server`},{id:`python`,install:`pip install openfeature-sdk openfeature-provider-ofrep`,program:B,keyType:`server`},{id:`web`,install:`npm install @openfeature/web-sdk @openfeature/ofrep-web-provider`,program:H,keyType:`client`},{id:`react`,install:`npm install @openfeature/react-sdk @openfeature/ofrep-web-provider`,program:V,keyType:`client`}];function G(e,t){return`export HALYARD_EDGE_URL=${e}\nexport HALYARD_API_KEY=${t}`}var ne={curl:`Shell, with curl`,node:`JavaScript, server`,python:`Python, server`,web:`JavaScript, browser`,react:`React`},K={title:()=>`Get started`,lead:()=>`Your own code calls its first flag in about a minute.`,stepDone:()=>`done`,stepOpen:()=>`open`,flagTitle:()=>`Create a flag`,flagText:(e,t)=>`Creates the flag ${e}. You use it in the environment ${t}.`,createFlag:e=>`Create ${e}`,mayNotCreate:()=>`You can view flags, not create them. Ask a developer or an admin to create it.`,flagThere:e=>`${e} is created.`,keyTitle:()=>`Create an API key`,keyText:()=>`Your code uses it to read flags. It is shown on this page until you leave it, and you can revoke it at any time.`,createKey:()=>`Create a key`,keyEarlier:e=>`You created the key ${e}… earlier. Its text cannot be shown again. If you did not save it, replace it: the old key then stops working.`,replaceKey:()=>`Replace the key`,keyMade:()=>`The key is created and filled in below.`,keyName:()=>`Get started`,key:()=>`API key`,copyKey:()=>`Copy the key`,programTitle:()=>`Call it from your code`,language:()=>`Language`,languageName:e=>ne[e]??e,install:()=>`Install the packages`,set:()=>`Set the address and the key`,run:()=>`Run it`,paste:()=>`Paste it into a terminal`,call:e=>`Call it with the address ${e} and the key above`,copySetting:()=>`Copy the setting`,copyProgram:()=>`Copy the program`,waitTitle:()=>`See your first evaluation`,waiting:()=>`Waiting for the first call of your code.`,arrived:e=>e===null?`Your code called the flag, and got an answer.`:`Your code called the flag: ${b(e,`evaluation`,`evaluations`)} so far.`,toggleTitle:()=>`Toggle it and watch`,toggleText:()=>`Switch the flag and run the code again. Code that follows changes gets the new value by itself.`,toggled:e=>`The flag is ${e?`on`:`off`}. Run the code again: it gets ${e?`true`:`false`}.`,toggle:(e,t)=>`${e} in ${t}`,noEnvironment:()=>`No environment`,noEnvironmentText:()=>`The project has no environment yet. Create one to continue.`,finish:()=>`Go to the flags`},q=A(),re=`…`;function ie({language:e,onLanguage:t,apiKey:n}){let r=e.keyType===`server`,{address:i}=T(),a=G(i,n??re),o=e.id===`curl`,s=o?`${a}\n${e.program}`:e.program;return(0,q.jsxs)(q.Fragment,{children:[(0,q.jsx)(l,{label:K.language(),choices:W.map(({id:e})=>({id:e,label:K.languageName(e)})),value:e.id,onChange:e=>{let n=W.find(t=>t.id===e);n&&t(n)}}),(0,q.jsx)(I,{}),e.install===null?null:(0,q.jsxs)(q.Fragment,{children:[(0,q.jsx)(`h3`,{children:K.install()}),(0,q.jsx)(j,{label:K.install(),text:e.install})]}),r&&!o?(0,q.jsxs)(q.Fragment,{children:[(0,q.jsx)(`h3`,{children:K.set()}),(0,q.jsx)(j,{label:K.set(),text:a,copy:K.copySetting()})]}):null,(0,q.jsx)(`h3`,{children:o?K.paste():r?K.run():K.call(i)}),(0,q.jsx)(j,{label:K.programTitle(),text:s,copy:K.copyProgram()})]})}function ae(e,t){return x({queryKey:[`overview`,e,`first-run`,t],queryFn:async({signal:n})=>{let{data:r}=await v(h.GET(`/v1/projects/{projectID}/overview`,{params:{path:{projectID:e},query:{q:U,limit:100}},signal:n})),i=r.find(({key:e})=>e===U),a=i?.states[t];return{isThere:i!==void 0,enabled:a?.enabled===!0,wasChanged:a!==void 0&&a.version>0}}})}function J(e){return x({queryKey:[`onboarding`,`asked`,e],queryFn:async({signal:t})=>{let{counters:n}=await v(h.GET(`/v1/metrics/evaluations`,{signal:t}));return n.filter(({flag_key:t,env_id:n})=>t===`new-checkout`&&n===e).reduce((e,{count:t})=>e+t,0)}})}var Y=x({queryKey:[`onboarding`,`steps`],queryFn:({signal:e})=>v(h.GET(`/v1/onboarding`,{signal:e}))}),X={page:`_page_4k3yw_2`,step:`_step_4k3yw_6`,mark:`_mark_4k3yw_16`,done:`_done_4k3yw_28`,body:`_body_4k3yw_34`};function Z({position:e,title:t,isDone:n,children:r}){return(0,q.jsxs)(`li`,{className:X.step,children:[(0,q.jsxs)(`span`,{className:`${X.mark} ${n?X.done:``}`,children:[n?(0,q.jsx)(c,{size:16,"aria-hidden":!0}):E(e),(0,q.jsx)(`span`,{className:`hidden`,children:n?K.stepDone():K.stepOpen()})]}),(0,q.jsxs)(`div`,{className:X.body,children:[(0,q.jsx)(`h2`,{children:t}),r]})]})}function oe(e,t){if(e===void 0)return null;let n=Object.entries(t).filter(([t,n])=>n&&e[t]===!1);return n.length===0?null:Object.fromEntries(n)}function se(e,t,n){return e.filter(e=>e.type===t&&e.name===K.keyName()&&N(e,n)===`live`).toSorted((e,t)=>Date.parse(t.created_at)-Date.parse(e.created_at))[0]}var Q=2e3;function ce(e){let t=u(),r=w().permissions.includes(`metrics.read`),i=o({...J(e),enabled:r,refetchInterval:Q}),a=o({...Y,refetchInterval:({state:e})=>r||e.data?.first_evaluation?!1:Q});if(n(({event:n,data:r})=>{if(n!==`usage`)return;let i=r.first_evaluation;i?.env_id===e&&i.flag_key===`new-checkout`&&(t.setQueryData(J(e).queryKey,e=>Math.max(e??0,1)),t.invalidateQueries({queryKey:[`onboarding`]}))}),!r)return{isAsked:a.data?.first_evaluation===!0,count:null};let s=i.data??0;return{isAsked:s>0,count:s}}function le({project:e,environment:t}){let{permissions:n}=w(),r=n.includes(`flags.create`),a=u(),[s,c]=(0,L.useState)(W[0]),[l,p]=(0,L.useState)({}),[_,v]=(0,L.useState)(null),y=o(ae(e.id,t.id)),b=y.data?.isThere===!0,x=o({...P(t.id),enabled:n.includes(`api_keys.read`)}),{isAsked:S,count:T}=ce(t.id),{data:E}=o(Y),O=ee(),A=(s&&l[s.keyType])??null,N=s&&se(x.data?.items??[],s.keyType,Date.now()),I=y.data?.wasChanged===!0,R=oe(E,{first_flag_created:b,first_sdk_connected:S,first_evaluation:S}),z=R===null?null:JSON.stringify(R);(0,L.useEffect)(()=>{z!==null&&$(a,JSON.parse(z))},[z,a]);async function B(){v(`flag`);let t=await g(h.POST(`/v1/projects/{projectID}/flags`,{params:{path:{projectID:e.id}},body:{key:U,name:U}}));v(null),!t.ok&&t.refusal.kind!==`conflict`&&m(d(t.refusal)),await a.invalidateQueries({queryKey:[`overview`,e.id]})}async function V(e){v(`key`);let n=N===void 0?await F(t.id,{name:K.keyName(),type:e}):await te(N.id,0);v(null),n.ok?p({...l,[e]:n.data}):m(d(n.refusal)),await a.invalidateQueries({queryKey:P(t.id).queryKey})}async function H(n){v(`state`);let r=await g(h.PUT(`/v1/projects/{projectID}/flags/{flagKey}/environments/{envID}`,{params:{path:{projectID:e.id,flagKey:U,envID:t.id},query:{wait:`edges`}},body:{enabled:n}}));v(null),r.ok||m(d(r.refusal)),await a.invalidateQueries({queryKey:[`overview`,e.id]})}return s===void 0?null:(0,q.jsxs)(`ol`,{children:[(0,q.jsx)(Z,{position:1,title:K.flagTitle(),isDone:b,children:b?(0,q.jsx)(`p`,{children:K.flagThere(U)}):(0,q.jsxs)(q.Fragment,{children:[(0,q.jsx)(`p`,{className:`soft`,children:K.flagText(U,t.name)}),r?null:(0,q.jsx)(f,{tone:`note`,children:K.mayNotCreate()}),(0,q.jsx)(D,{look:`primary`,isDisabled:!r||!O,isPending:_===`flag`,onPress:B,children:K.createFlag(U)})]})}),(0,q.jsx)(Z,{position:2,title:K.keyTitle(),isDone:A!==null||N!==void 0,children:A===null?(0,q.jsxs)(q.Fragment,{children:[(0,q.jsx)(`p`,{className:`soft`,children:N===void 0?K.keyText():K.keyEarlier(N.key_prefix)}),(0,q.jsx)(M,{permit:`api_keys.manage`}),(0,q.jsx)(D,{look:b&&N===void 0?`primary`:`secondary`,isDisabled:!n.includes(`api_keys.manage`)||!O,isPending:_===`key`,onPress:()=>void V(s.keyType),children:N===void 0?K.createKey():K.replaceKey()})]}):(0,q.jsxs)(q.Fragment,{children:[(0,q.jsx)(`p`,{role:`status`,children:K.keyMade()}),(0,q.jsx)(j,{label:K.key(),text:A,copy:K.copyKey()})]})}),(0,q.jsx)(Z,{position:3,title:K.programTitle(),isDone:S,children:(0,q.jsx)(ie,{language:s,onLanguage:c,apiKey:A})}),(0,q.jsx)(Z,{position:4,title:K.waitTitle(),isDone:S,children:S?(0,q.jsx)(f,{tone:`good`,children:K.arrived(T)}):(0,q.jsx)(f,{tone:`note`,children:K.waiting()})}),(0,q.jsxs)(Z,{position:5,title:K.toggleTitle(),isDone:I,children:[(0,q.jsx)(`p`,{className:`soft`,children:K.toggleText()}),(0,q.jsx)(i,{label:K.toggle(U,t.name),isOn:y.data?.enabled===!0,isDisabled:!b||_===`state`||!n.includes(`flags.toggle`)||!O,onChange:e=>void H(e)}),I&&y.data!==void 0?(0,q.jsx)(`p`,{role:`status`,children:K.toggled(y.data.enabled)}):null,(0,q.jsx)(k,{to:`/p/$project/flags`,params:{project:e.slug},className:C(I?`primary`:`secondary`),onClick:()=>void $(a,{tour_completed:!0}),children:K.finish()})]})]})}async function $(e,t){let n=await g(h.PATCH(`/v1/onboarding`,{body:t}));n.ok&&e.setQueryData(Y.queryKey,n.data)}var ue=y(()=>S(()=>import(`./NoProject.js`),__vite__mapDeps([0,1,2,3,4,5,6,7]),import.meta.url));function de(){_(K.title());let e=t();return e===void 0?(0,q.jsx)(r,{children:(0,q.jsx)(ue,{})}):(0,q.jsxs)(`div`,{className:`page ${X.page}`,children:[(0,q.jsxs)(`div`,{className:`stack close`,children:[(0,q.jsx)(`h1`,{children:K.title()}),(0,q.jsx)(`p`,{className:`soft`,children:K.lead()})]}),(0,q.jsx)(fe,{project:e})]})}function fe({project:e}){let{data:t,error:n}=o(s(e.id));if(t===void 0)return(0,q.jsx)(a,{error:n,height:`20rem`});let r=t.data.find(({slug:e})=>e===`dev`)??t.data[0];return r===void 0?(0,q.jsx)(p,{title:K.noEnvironment(),children:K.noEnvironmentText()}):(0,q.jsx)(le,{project:e,environment:r})}export{de as OnboardingPage};