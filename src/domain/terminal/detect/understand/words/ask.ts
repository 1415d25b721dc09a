import { lexicon } from './lexicon.ts'

/** First words of questions that can't be answered by yes or no. */
export const whWords = lexicon(
  [
    String.raw`what(?:['’]s)?|which|who(?:m|se)?|where|when|why|how`,
    String.raw`was|welche[rsnm]?|wer|wen|wem|wo(?:hin|her)?|wann|warum|wie(?:viele?)?`,
    String.raw`quel(?:le)?s?|qui|où|quand|pourquoi|comment|combien|que|qu['’]est-ce`,
    String.raw`qué|cuál(?:es)?|quién(?:es)?|dónde|cuándo|cómo|cuánt[oa]s?|por qué`,
    String.raw`qual|quais|quem|onde|quando|como|quant[oa]s?|quale|quali|chi|dove|come|cosa|perché`,
    String.raw`что|как(?:ой|ая|ое|ие|ую)?|кто|где|когда|куда|сколько|почему`,
  ],
  [
    '什么|什麼|哪个|哪個|哪些|哪里|哪裡|哪儿|谁|誰|多少|几个|如何|怎么|怎樣|怎样|何时',
    '何を|何ですか|何が|どの|どこ|どれ|どちら|いつ|どう|いくつ|なに|なぜ|どのよう',
    '무엇|어떤|어디|누구|언제|어떻게|몇|왜',
  ],
)

/** A question that begins with one of these is answered by yes or no. */
export const auxiliaryStart =
  /^(?:please (?:confirm|note)|do|does|did|is|are|was|were|would|will|shall|should|can|could|may|has|have|am|want|ready|ok|really|soll(?:en)?|möchte[nst]*|woll(?:en|t)|willst|sind|ist|darf|kann|können|wird|werden|haben|voulez|souhaitez|êtes|est-ce|faut-il|dois-je|peut|avez|¿|desea|quiere|está|es|son|hay|debe|deseja|quer|vuoi|vuole|sei|вы|хотите|您?是否|您?确定|確定|是不是)(?![\p{L}])/iu

/** Nouns before a question mark that ask for a value, not for a yes. */
export const fieldStart =
  /^(?:(?:enter|type|input|your|client|account|app|application|customer|team|organi[sz]ation|org|workspace|bucket|site|the|new|full|first|last|user|host|domain|server|project|package|repository|remote|branch|tag|file|class|device|display|real|common|table|database|author|component|module|maintainer|maximum|minimum|max|min|default|start|end|target|partition|initial|disk|label|volume|group|image|network|interface|file ?system|system|index)[- ])*(?:name|path|file ?name|filename|title|subject|number|port|host ?name|hostname|host|user ?name|username|login|e-?mail(?: address)?|address|value|age|date|time|size|amount|count|version|url|id|description|comment|label|message|pattern|query|sector|length|width|height|regexp?|string|expression|term|keyword|color|colour|language|locale|city|country|phone|key is valid|expires?|range|offset|type|method|format|mode|position)(?![\p{L}])/iu

/** Asks to choose from a list. */
export const selectWords = lexicon(
  [
    String.raw`select|choose|pick|choice|choices|selection|option|options|menu|which|#\?|\?#|what now|your decision|make a (?:choice|selection)|enter (?:a |the |your )?(?:number|choice|selection|option|letter)|type (?:a |the |selection )?number|one of the (?:keys|letters|numbers|above|following)`,
    String.raw`wähle[n]?|wählen sie|auswahl|ausgewählt|welche[rsnm]?|option(?:en)?|ihre wahl|nummer`,
    String.raw`choisi(?:r|ssez|s)|choix|sélectionne[rz]|sélection|quel(?:le)?s?`,
    String.raw`elija|elige|elegir|escoja|seleccione|seleccionar|selección|opción|cuál`,
    String.raw`escolha|selecione|opção|scegli(?:ere|ete)?|seleziona(?:re)?|scelta|opzione`,
    String.raw`выберите|выбор|вариант|kies|välj|wybierz|vyberte|seçin`,
  ],
  ['选择|選擇|请选|請選|选项|選項|哪个|哪一', '選択|選んで|選び|番号|どれ|どの', '선택|고르|번호'],
)

/** Shows how to enter numbers from a list: `(eg: 1 2 3, 1-3 or ^4)`. */
export const wantsNumbers = /e\.?g\.?[,:]? \d|(?<![\d.])\d+[ ,]\d+[ ,]\d+(?![\d.])/iu

/** Continues when any key is pressed. */
export const pressKey = new RegExp(
  [
    String.raw`(?:press|hit|strike|push|tap)\s+(?:the\s+)?(?:any|a|some|<?\[?(?:enter|return|ret|space(?:bar)?)\]?>?)(?![\p{L}])`,
    String.raw`(?:enter|return|key)\s+to\s+(?:continue|proceed|start|begin|exit|close|finish|go on|return|quit|open)`,
    String.raw`(?:hit|press)\s+(?:return|enter|key)`,
    String.raw`any key`,
    String.raw`weiter mit|(?:beliebige|eine|irgendeine)\s+taste|taste drücken|(?:eingabetaste|enter|return)(?:\s+\p{L}+){0,2}\s+drücken|drücken sie`,
    String.raw`appuye[zr]|(?:une|n['’]importe quelle) touche|touche (?:entrée|retour)`,
    String.raw`(?:presione|pulse|oprima|presiona|pulsa)(?![\p{L}])|cualquier tecla|tecla (?:intro|enter)`,
    String.raw`(?:pressione|prima|premi|premere|premete|tecle)(?![\p{L}])|qualquer tecla|un tasto|qualsiasi tasto|invio per`,
    String.raw`нажмите|любую клавишу|druk op|naciśnij|tryck|stiskněte|bir tuşa`,
    '按.{0,8}键|按.{0,8}鍵|按下?回车|按\\s?enter|任意键|任意鍵',
    'キーを押|エンターを|enter\\s?を|任意のキー|続行するには',
    '아무 ?키|키를 누르|엔터를|계속하려면',
  ].join('|'),
  'iu',
)

/** `Hit Enter to continue`, whatever the lines above say; not `1-12, or Enter to continue`. */
export const onlyContinues = (question: string): boolean =>
  pressKey.test(question) && /to continue/iu.test(question) && !/\d/u.test(question)

/** "Press y for yes", without a list of keys. */
export const pressYes = /(?:press|enter|type|hit)\s+["'‘“(]?y(?:\|Y)?["'’”)]?\s+(?:for|to|if|and)(?![\p{L}])/iu

/** "Type yes", in words or in capitals. */
export const typeYes =
  /(?:type|enter|write|input|say|answer|reply|tippen|eingeben|geben sie|schreiben sie|tape[zr]|saisisse[zr]|entre[zr]|escriba|escribe|teclee|introduzca|ingrese|digite|digita(?:re)?|scriv[ie]|typ|voer|wpisz|введите|наберите|输入|輸入|键入|入力|입력)[^\n]{0,24}?["'`‘’“”„«「『]?(?<![\p{L}\d])(yes|ja|oui|sí|si|sim|tak|да|是|はい|예)(?![\p{L}\d])["'`‘’“”»」』]?|only ["'‘“]?(yes|ja|oui|sí|si|sim)["'’”]? (?:will|is)|(?:["'‘“„「『«])(yes|ja|oui|sí|是|はい|да)["'’”“」』»]\s*(?:eingeben|ein(?=[\s,.:]|$)|と入力|を入力|입력)/iu
