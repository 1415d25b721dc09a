import { withoutBrackets } from '../question.ts'

const plainWords = new Set(
  'was nun abort commit connect enable do you want wish would like to really are sure is this ok okay o k correct continue proceed go on ahead confirm anyway enter a value type yes no your decision selection choice what now select the and still shall we i should please answer accept with it that these those changes actions perform apply if understand in capital capitals letters uppercase press command action operation as shown above number option choose right absolutely certain agree approve deny next step run execute this program make or not y n again only will be accepted for of allow can ready always never once all suspend help default set happy start action id choice done resource resources select save plan möchten sie fortfahren fortsetzen wollen wirklich sicher sind weitermachen soll trotzdem bestätigen voulez-vous vous voulez souhaitez-vous souhaitez êtes continuer sûr sûre poursuivre confirmer desea está seguro segura continuar seguir confirmar quiere usted deseja prosseguir tem certeza sicuro vuoi continuare procedere хотите продолжить вы уверены продолжить volete proseguire confermare confermi davvero confirma mesmo assim wilt u je doorgaan toch weet zeker dit het bevestigen kontynuować czy chcesz na pewno potwierdź potwierdzić вы действительно подтвердить подтвердите это ainsi quand même de todos modos comunque lo stesso trotz ja nein oui non sí sim não nee tak nie да нет si sì s j o oui ja i'.split(
    ' ',
  ),
)

/** Only asks to continue: the lines above say with what. */
export const isGeneric = (question: string): boolean => {
  if (!/[\p{L}\p{N}]/u.test(question)) return false
  const plain = withoutBrackets(question).toLowerCase()
  if (/(?:是否|希望|要|确定|確定)?.{0,4}(?:继续|繼續|执行)|続行|続け|よろしい|実行しますか|계속/u.test(plain))
    return plain.length <= 24
  return plain.split(/[^\p{L}\p{N}'’-]+/u).every((word) => word === '' || plainWords.has(word) || /^\d+$/u.test(word))
}
