const press =
  'press|hit|strike|push|tap|drücken(?: sie)?|drücke|betätigen sie|appuye[zr]|presion[ea]|pulse|pulsa|oprima|pressione|prima|aperte|tecle|premere|premi|premete|prem[ai]|druk|toets|naciśnij|wciśnij|нажмите|tryck'
const named =
  'enter|return|any keys?|a key|space(?:bar)?|key|(?:eingabe)?taste|leertaste|touche|entrée|retour|espace|tecla|intro|entrar|tasto|invio|toets|spatie|klawisz|spację|клавишу|ввод|пробел|tangent'
const latin = new RegExp(
  String.raw`(?<!\p{L})(?:${press})(?!\p{L})[^.]{0,40}?(?:(?<!\p{L})(?:${named})(?!\p{L})|<[^>]+>|\[[^\]]+\])`,
  'iu',
)
/** The verb comes last: `Eingabetaste drücken`, `Enterキーを押して`. */
const verbLast =
  /(?<!\p{L})(?:enter|return|eingabe|eingabetaste|beliebige taste|leertaste|een toets)(?!\p{L})[^.]{0,20} (?:drücken|indrukken)(?!\p{L})|weiter mit (?:enter|return|eingabe|beliebiger)|(?:按|敲).{0,10}(?:键|鍵|回车|enter|return)|按.*(?:继续|繼續)|(?:キー|enter|エンター|リターン)\s?を押|키를 누르|엔터를/iu
const start = new RegExp(
  String.raw`^\W*(?:[\w-]{2,20}:\s)?(?:please,?\s|bitte\s|por favor,?\s|s['’]il vous plaît,?\s)?(?:${press})(?!\p{L})`,
  'iu',
)
/** Says what happens next: it continues or stops. */
const goesOn =
  /(?<!\p{L})(?:continue|proceed|see|view|show|display|go on|begin|start|abort|cancel|exit|quit|fortzufahren|fortfahren|fortzusetzen|abzubrechen|weiter|continuer|poursuivre|quitter|continuar|seguir|salir|sair|continuare|proseguire|uscire|doorgaan|verder|gaan|kontynuować|продолжить|продолжения|fortsätta)(?!\p{L})|继续|繼續|続行|続ける|続け|계속/iu

/** `press h + enter to show help`: one key of many, while the program keeps running. */
const chord = /(?<!\S)\S{1,4} ?\+ ?(?:enter|return)(?!\p{L})/iu

/** `Type <space> to begin` */
const typedKey = /^\W*type <?(?:space|return|enter|any key)>? to (?:begin|start|continue|play|go on)(?!\p{L})/iu

/** Whether the line asks for a key anywhere. */
export const pressesKey = (line: string): boolean => latin.test(line) || verbLast.test(line) || typedKey.test(line)

/** `Press Enter to continue`, on a separate line. */
export const asksForKey = (line: string): boolean =>
  pressesKey(line) &&
  !chord.test(line) &&
  (goesOn.test(line) ||
    /(?:hit|press|strike) <?(?:cr|enter|return)>?[.:!]?\s*$/iu.test(line) ||
    start.test(line) ||
    typedKey.test(line) ||
    verbLast.test(line))

/** Something must be typed to continue: `To continue, type 'Yes, do as I say'`. */
export const typeToGoOn =
  /(?<!\p{L})(?:type|enter)(?: in)? (?:your|the|a|one) \p{L}+(?: \p{L}+)? (?:and|then) (?:hit|press)(?!\p{L})|(?<!\p{L})(?:to accept|or) (?:these|this|it)? ?(?:or )?type (?:the|a) (?:letter|number)(?!\p{L})|(?<!\p{L})(?:type|enter) ["'‘“]?[\p{L}\d]{1,12}["'’”]? (?:and|then) (?:hit|press) (?:return|enter)(?!\p{L})|(?:^|[.?!]\s+)\W*(?:please )?(?:type|enter|input|write)(?!\p{L})[^.:?]{1,60}(?<!\p{L})to (?:continue|proceed|confirm|go on)(?!\p{L})|(?:^|[.!]\s+)(?:to|if you want to|if you wish to) (?:continue|proceed|confirm|go on)(?:[^.:?]{0,20}),? (?:please )?(?:type|enter|input|write)(?!\p{L})/iu
