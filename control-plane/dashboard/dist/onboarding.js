import{r as e}from"./rolldown-runtime.js";import{O as t,R as n,T as r,_ as i,h as a,r as o,s,w as c,x as l,y as u,z as d}from"./frame.js";import{B as f,J as p,Pn as m,Q as h,U as g,V as _,Y as v,_n as y,c as b,fn as x,gn as S,hn as C,kn as w,mn as T,xn as E}from"./forms.js";import{_ as D,d as O,v as k}from"./vendor.js";var A=e(k(),1),j=`import { OpenFeature } from '@openfeature/server-sdk';
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
`,M=`import os

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
`,N=`import { OpenFeature, OpenFeatureProvider, useBooleanFlagValue } from '@openfeature/react-sdk';
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
`,P=`import { OpenFeature, ProviderEvents } from '@openfeature/web-sdk';
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
`,F=`new-checkout`,I=[{id:`node`,install:`npm install @openfeature/server-sdk @openfeature/ofrep-provider`,program:j,keyType:`server`},{id:`python`,install:`pip install openfeature-sdk openfeature-provider-ofrep`,program:M,keyType:`server`},{id:`web`,install:`npm install @openfeature/web-sdk @openfeature/ofrep-web-provider`,program:P,keyType:`client`},{id:`react`,install:`npm install @openfeature/react-sdk @openfeature/ofrep-web-provider`,program:N,keyType:`client`}];function L(e,t){return`export HALYARD_EDGE_URL=${e}\nexport HALYARD_API_KEY=${t}`}var R={page:`_page_1tstl_2`,step:`_step_1tstl_9`,mark:`_mark_1tstl_19`,done:`_done_1tstl_31`,body:`_body_1tstl_37`,code:`_code_1tstl_49`},z=D();function B({position:e,title:t,isDone:n,children:r}){return(0,z.jsxs)(`li`,{className:R.step,children:[(0,z.jsxs)(`span`,{className:`${R.mark} ${n?R.done:``}`,children:[n?(0,z.jsx)(E,{size:16,"aria-hidden":!0}):w(e),(0,z.jsx)(`span`,{className:`hidden`,children:n?d.onboarding.stepDone():d.onboarding.stepOpen()})]}),(0,z.jsxs)(`div`,{className:R.body,children:[(0,z.jsx)(`h2`,{children:t}),r]})]})}function V({label:e,text:t}){return(0,z.jsx)(`section`,{className:R.code,tabIndex:0,"aria-label":e,children:(0,z.jsx)(`pre`,{children:t})})}var H=`…`;function U({language:e,onLanguage:t,apiKey:r}){let i=e.keyType===`server`,a=L(location.origin,r??H);return(0,z.jsxs)(z.Fragment,{children:[(0,z.jsx)(l,{label:d.onboarding.language(),choices:I.map(({id:e})=>({id:e,label:d.onboarding.languageName(e)})),value:e.id,onChange:e=>{let n=I.find(t=>t.id===e);n&&t(n)}}),(0,z.jsx)(`h3`,{children:d.onboarding.install()}),(0,z.jsx)(V,{label:d.onboarding.install(),text:e.install}),i?(0,z.jsxs)(z.Fragment,{children:[(0,z.jsx)(`h3`,{children:d.onboarding.set()}),(0,z.jsx)(V,{label:d.onboarding.set(),text:a}),(0,z.jsx)(n,{text:a,label:d.onboarding.copy()})]}):null,(0,z.jsx)(`h3`,{children:i?d.onboarding.run():d.onboarding.call(location.origin)}),(0,z.jsx)(V,{label:d.onboarding.programTitle(),text:e.program}),(0,z.jsx)(n,{text:e.program,label:d.onboarding.copy()})]})}function W(e){return c({queryKey:[`onboarding`,`flag`,e],queryFn:async({signal:t})=>{let n=await g(f.GET(`/v1/projects/{projectID}/flags/{flagKey}`,{params:{path:{projectID:e,flagKey:F}},signal:t}));if(n.ok)return n.data;if(n.refusal.kind===`absent`)return null;throw new p(n.refusal)}})}function G(e,t){return c({queryKey:[`onboarding`,`state`,e,t],queryFn:({signal:n})=>_(f.GET(`/v1/projects/{projectID}/flags/{flagKey}/environments/{envID}`,{params:{path:{projectID:e,flagKey:F,envID:t}},signal:n}))})}function K(e){return c({queryKey:[`onboarding`,`asked`,e],queryFn:async({signal:t})=>{let{counters:n}=await _(f.GET(`/v1/metrics/evaluations`,{signal:t}));return n.filter(({flag_key:t,env_id:n})=>t===`new-checkout`&&n===e).reduce((e,{count:t})=>e+t,0)}})}var q=2e3;function J({project:e,environment:i}){let{permissions:a}=u(),s=t(),[c,l]=(0,A.useState)(I[0]),[p,_]=(0,A.useState)({}),[y,x]=(0,A.useState)(null),S=r(W(e.id)),C=S.data!==void 0&&S.data!==null,w=r({...G(e.id,i.id),enabled:C}),E=a.includes(`metrics.read`),D=r({...K(i.id),enabled:E,refetchInterval:q}),k=(D.data??0)>0,j=(c&&p[c.keyType])??null;(0,A.useEffect)(()=>{C&&Y({first_flag_created:!0})},[C]),(0,A.useEffect)(()=>{k&&Y({first_sdk_connected:!0,first_evaluation:!0})},[k]);async function M(){x(`flag`);let t=await g(f.POST(`/v1/projects/{projectID}/flags`,{params:{path:{projectID:e.id}},body:{key:F,name:F}}));x(null),!t.ok&&t.refusal.kind!==`conflict`&&m(b(t.refusal)),await s.invalidateQueries({queryKey:[`onboarding`]})}async function N(e){x(`key`);let t=await g(f.POST(`/v1/environments/{envID}/api-keys`,{params:{path:{envID:i.id}},body:{name:d.onboarding.keyName(),type:e}}));x(null),t.ok?_({...p,[e]:t.data.key}):m(b(t.refusal))}async function P(t){x(`state`);let n=await g(f.PUT(`/v1/projects/{projectID}/flags/{flagKey}/environments/{envID}`,{params:{path:{projectID:e.id,flagKey:F,envID:i.id},query:{wait:`edges`}},body:{enabled:t}}));x(null),n.ok||m(b(n.refusal)),await s.invalidateQueries({queryKey:[`onboarding`,`state`]})}return c===void 0?null:(0,z.jsxs)(`ol`,{children:[(0,z.jsx)(B,{position:1,title:d.onboarding.flagTitle(),isDone:C,children:C?(0,z.jsx)(`p`,{children:d.onboarding.flagThere(F)}):(0,z.jsxs)(z.Fragment,{children:[(0,z.jsx)(`p`,{className:`soft`,children:d.onboarding.flagText(F,i.name)}),(0,z.jsx)(v,{look:`primary`,isDisabled:!a.includes(`flags.create`),isPending:y===`flag`,onPress:M,children:d.onboarding.createFlag(F)})]})}),(0,z.jsxs)(B,{position:2,title:d.onboarding.keyTitle(),isDone:j!==null,children:[(0,z.jsx)(`p`,{className:`soft`,children:d.onboarding.keyText()}),j===null?(0,z.jsx)(v,{isDisabled:!a.includes(`api_keys.manage`),isPending:y===`key`,onPress:()=>void N(c.keyType),children:d.onboarding.createKey()}):(0,z.jsxs)(z.Fragment,{children:[(0,z.jsx)(`p`,{role:`status`,children:d.onboarding.keyMade()}),(0,z.jsx)(V,{label:d.onboarding.key(),text:j}),(0,z.jsx)(n,{text:j,label:d.onboarding.copyKey()})]})]}),(0,z.jsx)(B,{position:3,title:d.onboarding.programTitle(),isDone:k,children:(0,z.jsx)(U,{language:c,onLanguage:l,apiKey:j})}),(0,z.jsx)(B,{position:4,title:d.onboarding.waitTitle(),isDone:k,children:k?(0,z.jsx)(T,{tone:`good`,children:d.onboarding.arrived(D.data??0)}):(0,z.jsx)(T,{tone:`note`,children:E?d.onboarding.waiting():d.onboarding.mayNotSee()})}),(0,z.jsxs)(B,{position:5,title:d.onboarding.toggleTitle(),isDone:!1,children:[(0,z.jsx)(`p`,{className:`soft`,children:d.onboarding.toggleText()}),(0,z.jsx)(o,{label:d.onboarding.toggle(F,i.name),isOn:w.data?.enabled===!0,isDisabled:!C||y===`state`||!a.includes(`flags.toggle`),onChange:e=>void P(e)}),(0,z.jsx)(O,{to:`/p/$project/flags`,params:{project:e.slug},className:h(`primary`),onClick:()=>void Y({tour_completed:!0}),children:d.onboarding.finish()})]})]})}async function Y(e){await g(f.PATCH(`/v1/onboarding`,{body:e}))}function X(){x(d.onboarding.title());let e=a();return e===void 0?(0,z.jsx)(C,{isPage:!0,title:d.flags.noProjectTitle(),children:d.flags.noProject()}):(0,z.jsxs)(`div`,{className:R.page,children:[(0,z.jsxs)(`div`,{className:`stack close`,children:[(0,z.jsx)(`h1`,{children:d.onboarding.title()}),(0,z.jsx)(`p`,{className:`soft`,children:d.onboarding.lead()})]}),(0,z.jsx)(Z,{project:e})]})}function Z({project:e}){let{data:t,error:n,refetch:a}=r(s(e.id));if(t===void 0)return n instanceof p?(0,z.jsx)(i,{refusal:n.refusal,onRetry:()=>void a()}):(0,z.jsx)(S,{children:(0,z.jsx)(y,{height:`20rem`})});let o=t.data.find(({slug:e})=>e===`dev`)??t.data[0];return o===void 0?(0,z.jsx)(C,{title:d.onboarding.noEnvironment(),children:d.onboarding.noEnvironmentText()}):(0,z.jsx)(J,{project:e,environment:o})}export{X as OnboardingPage};