import { withoutBrackets } from '../question.ts'

/** Asks to type a name or a word in capitals: programs do that only before something harmful. */
const typedName =
  /(?:type|enter|re-?type|input|write)(?:ing)?(?: in)?(?![\p{L}])(?! to )[^?]{1,80}(?<![\p{L}])to (?:confirm|verify you|acknowledge|approve)|(?:to|please) confirm,? (?:please )?(?:by )?(?:type|typing|enter|entering|re-?type|input)(?![\p{L}])|confirm (?:by|with) (?:typing|entering)|to (?:continue|proceed),? type|(?:type|enter) (?:in )?["'‘“`](?!y(?:es)?["'’”`])[^"'’”`]{2,40}["'’”`] to (?:continue|proceed)|zur bestätigung|um (?:zu bestätigen|es zu bestätigen)|pour confirmer|para confirmar|per confermare|ter bevestiging|om te bevestigen|aby potwierdzić|для подтверждения|以确认|以確認|確認のため|確認するには/iu
const typedCapitals =
  /(?:[Tt]ype|[Ee]nter|[Ii]nput|[Ww]rite) ["'‘“`]?(?!YES|ENTER|RETURN|OK|Y\b|N\b|NO\b)[A-Z]{4,}(?![\p{L}])/u
/** The text to type is not the name of something that would be deleted. */
const plainAnswer =
  /(?:e-?mail|code|token|otp|password|passphrase|address|phone|number to|["'‘“`]?(?:yes|y|ok)["'’”`]? (?:to|or))(?![\p{L}])/iu

export const asksToType = (question: string): boolean =>
  typedCapitals.test(question) || (typedName.test(question) && !plainAnswer.test(question))

const doubts =
  /are you (?:\p{L}+ )?(?:sure|certain)|(?<![\p{L}])really(?![\p{L}])|sind sie (?:\p{L}+ )?sicher|wirklich|vraiment|êtes-vous sûre?|está (?:usted )?segur[oa]|seguro que|realmente|tem certeza|sei sicuro|(?:sei|è|siete|sicur[oi]) (?:davvero |proprio )?(?:sicur[oi]|di voler)|davvero|weet (?:u|je) (?:het )?zeker|(?:echt|werkelijk) wil|czy na pewno|na pewno|jeste[śs](?:cie)? pew\p{L}+|naprawdę|вы уверены|вы действительно|точно|(?:确定|確定|确认要|真的)[^?？]{0,30}[吗嗎?？]|本当に|정말/iu
/** Asked twice only out of politeness: the action can be repeated. */
const mild =
  /(?<![\p{L}])(?:quit|exit|leave|log ?(?:out|off|in)|sign ?(?:out|in)|install|update|upgrade|download|send|submit|skip|start|open|add|create|use|copy|play|beenden|verlassen|abmelden|installieren|senden|quitter|installer|envoyer|salir|instalar|enviar|uscire|installare|inviare|sair|afsluiten|verlaten|installeren|wyjść|zainstalować|выйти|завершить работу|закончить|установить|отправить)(?![a-zà-ÿ])|退出|登出|离开|安装|安裝|終了|インストール|종료하시겠/iu

/** "Are you sure?": programs ask that before an action that can't be undone. */
export const doubtsYou = (question: string): boolean => doubts.test(question) && !mild.test(withoutBrackets(question))

/** Only displays something, so nothing changes. */
const onlyShows =
  /^(?:(?:do|would|should|shall|may|can) (?:you|i|we) (?:want|like|wish)?(?: me)? ?(?:to )?)?(?:see|view|show|list|display|preview|inspect|browse|print|review|hide|highlight|sort|filter|replace with|replace (?:this|the|next) (?:instance|occurrence|match|word)|open (?:the |a |this )?(?:\p{L}+ )?(?:report|browser|logs?|docs|documentation|page|link|url|dashboard))(?![\p{L}])[^?;,]*[?:\s]*$|^[^?]{0,60} (?:from|in) (?:the |this |your |my )?(?:list of )?(?:view|display|results|output|listing|favou?rites|bookmarks|cart|recents|recent files)[?:\s]*$/iu

/** Making a backup first deletes nothing. */
const safeguards =
  /^(?:(?:do|would|should|shall) (?:you|i|we) (?:want|like|wish)?(?: me)? ?(?:to )?)?(?:(?:create|make|take|start) (?:an? |the )?)?back ?up(?![\p{L}._/-])[^?]{0,60}\?/iu

/** An editor shows the output of a command, then returns. */
const goesBack = /^press \S+ or type command to continue$/iu

export const isOnlyShown = (question: string): boolean =>
  (onlyShows.test(withoutBrackets(question)) || safeguards.test(question) || goesBack.test(question)) &&
  !/(?<![\p{L}])and (?!\p{L}+ed)|(?:private|secret) keys?/iu.test(question)

/** `Really erase it? <y/N>` ends like a command prompt, and so does `>` below a question. */
const angled = /[?？]\s*[<‹][\p{L}/|]{1,12}[>›]\s*$/u
const asked = /[?？]\s*(?:[([][^()[\]]*[)\]]\s*){0,2}[:：]?\s*$/u

export const isQuestionAfterAll = (question: string, above: string): boolean =>
  angled.test(question) || (/^[>›»]+$/u.test(question) && asked.test(above))
