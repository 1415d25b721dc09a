// Written by `npm run detect:fit -- --write`: what a word or a sign counts for danger. likely.ts reads it.
export const weights = `
3.4|P command password
2.8|P asks rights|P command rights
2.2|Y asks trust|Y says trust
2.1|Yg command harm
2.0|P says rights|Yg near trust
1.9|Yg near threat
1.8|Y near trust
1.7|O says threat|Y asks rights|Y near threat|Y says rights|Y write
1.6|O asks threat|Y asks verb
1.5|Og near threat
1.4|F asks typed|F says typed|Y asks doubt|Y says doubt|Y says verb|Y without|command su
1.3|O send|P authenticates|P unix|Y deed -|Y deed n|Y last threat|Y rf|Y saving|command change|command delete
1.2|O asks verb|O says verb|P last rights|Y asks secret|Y disk|Y last trust|Y says secret|command bob|command enable|command remove
1.1|F confirm|F kill|Fg near threat|O allow|O near threat|P asks means grants|Pg command password|Y apply|Y array|Y near verb|Yg last trust
1.1|command passwd|command sdb|command uninstall
1.0|Cg near threat|F says verb|Fg near verb|O asks trust|O near means exists|O near means trusts|P asks secret|P command harm|P near rights|P nueva
1.0|P says secret|P verify|Y abort|Y auf|Y modified|Y partition|Y rm|Y saved|Y says threat|Y schreiben|Y txt
0.9|F and|F asks verb|F command harm|F last threat|F partition|F please|F says heading|O last runs|O near runs|O offers verb|O reject|O y|Og near runs
0.9|Og near trust|P again|P it|P near means replaces|P nouveau|Y already|Y asks changed|Y b|Y been|Y creating|Y dev|Y key|Y last means replaces|Y not
0.9|Y program|Y says changed|Yg last threat|Yg near runs|Yg near verb|command disk|command gem|command luksformat|offers rename
0.8|F last runs|F near runs|F near threat|O ename|O last means destroys|O near trust|O overwrite|O says trust|Og asks rights|Og asks trust|Og deed o
0.8|Og last threat|Og near heading|P be|P bob|P 密码|Y down|Y has|Y last means grants|Y near caution|Y near means trusts|Y okay|Yg asks verb|Yg enter n
0.8|Yg says threat|Yg says verb|command clean|command exit|command lib|command log|command opt|command rebuild|command system|offers back
0.8|offers install|offers overwrite
0.7|Cg near verb|F asks heading|F branch|F near means all|F near means data|F says means destroys|F type|O always|O asks means spares|O build|O deed n
0.7|O enter y|O files|O last means data|O last threat|O out|O please|O t|Og command harm|Og command runs|Og near verb|P asks means changesSecret
0.7|P encrypt|P last secret|P para|P re|P slot|Y 'no'|Y account|Y admin|Y alice|Y buffers|Y command harm|Y configuration|Y connection|Y connections
0.7|Y deed y|Y deleted|Y ein|Y enter o|Y exists|Y f|Y fix|Y initialize|Y last caution|Y mv|Y near means replaces|Y proceed|Y roll|Y show|Y since
0.7|Y trust|Y txt'|Y vg|Y will|Yg last rights|asks means destroys|command gen|command img|command old|command password|command restart|command revert
0.7|command revoke|near means destroys|near means trusts|offers backup|offers clean|offers löschen|offers proceed|offers versions|says means destroys
0.6|C asks means stops|C last means removes|F abort|F acme|F database|F go|F i|F last means loses|F list|F near means destroys|F near means loses|F old
0.6|F string|Fg last mild|Fg near caution|O asks means all|O asks means grants|O command runs|O config|O deed y|O docs|O elete|O exists
0.6|O last means exists|O last means pays|O last means trusts|O last trust|O n|O near doubt|O oder|O trust|Og last verb|P asks threat|P asks verb
0.6|P become|P confirmation|P database|P near means grants|P near means stops|P near secret|P says threat|P says verb|P 请输|P 输入|Y allow|Y anything
0.6|Y asks means exists|Y asks runs|Y changes|Y code|Y cp|Y db|Y disks|Y else|Y enter|Y factory|Y following|Y format|Y la|Y last means exposes
0.6|Y last verb|Y login|Y lost|Y main|Y near heading|Y near means destroys|Y password|Y says runs|Y sdb|Y table|Y truncate|Y uninstall|Y v|Y x|Y xabcd
0.6|Y 进程|Yg command runs|Yg last heading|asks means all|asks means grants|command adduser|command claude|command destroy|command down|command fs
0.6|command gpt|command java|command pin|command pub|command r|command reset|command setpassword|command systemctl|command tree|last means pays
0.6|near means exists|near means replaces|offers abort|offers again|offers always|offers bin|offers do|offers h|offers keep|offers merge|offers o
0.6|offers once|offers operation|offers original|offers time
0.5|C near means undone|Cg near caution|Cg near mild|F add|F be|F cluster|F command runs|F drop|F last verb|F near trust|F on|F says means loses
0.5|F says means removes|F says means stops|Fg asks verb|Fg says verb|O asks means exists|O bort|O cancel|O command|O deed -|O disk|O empty|O gnore
0.5|O is|O key|O last means shows|O last means warns|O md|O near changed|O near verb|O offers means destroys|O offers threat|O on|O readme
0.5|O says means destroys|O says means exists|O says means spares|O verwrite|Og offers trust|Og offers verb|P com|P directory|P doas|P manager
0.5|P says means changesSecret|Y 'b|Y asks means all|Y asks threat|Y cannot|Y certeza|Y confirm|Y deed o|Y defaults|Y disco|Y existing|Y force
0.5|Y fortsetzen|Y gelöscht|Y grant|Y index|Y into|Y modules|Y operation|Y prozess|Y purge|Y removal|Y role|Y run|Y same|Y says means exists
0.5|Y superuser|Y that|Y tmp|Y undone|Y 覆盖|command all|command bash|command clear|command d|command db|command del|command dev|command editor
0.5|command fw|command hello|command import|command joe|command local|command nc|command ok|command pip|command postgres|command self|command shutdown
0.5|command ts|command type|command wipe|command yubikey|last means exposes|last means undone|near means undone|offers auto|offers don't|offers help
0.5|offers ja|offers means destroys|offers nein|offers new|offers node|offers not|offers old|offers python|offers remove|offers situation|offers trust
0.4|C last means all|C near means all|Cg last threat|F asks means destroys|F asks means loses|F asks means publishes|F asks means removes
0.4|F asks means stops|F asks threat|F del|F dev|F it|F last means stops|F near caution|F near means doubts|F number|F owner|F proceed|F quit
0.4|F says means forces|F shop|F to|Fg near mild|Fg near runs|O asks means removes|O delete|O directory|O info|O last means changesSecret|O m
0.4|O near means warns|O not|O offers heading|O offers means spares|O offers means trusts|O says means removes|O sure|O txt|P administrator
0.4|P asks means destroys|P command runs|P last means shows|P near means shows|P please|P private|P user|P wachtwoord|P with|P のパ|Pg last secret
0.4|Pg near secret|Y 'yes|Y asks means warns|Y asks typed|Y branch|Y cache|Y data|Y directory|Y entfernen|Y entry|Y etc|Y group|Y keys|Y last doubt
0.4|Y last means changesSecret|Y last means publishes|Y leave|Y lock|Y log|Y migrations|Y near doubt|Y near means removes|Y near means undone|Y nn
0.4|Y off|Y old|Y please|Y prod|Y production|Y says means all|Y says means warns|Y says typed|Y shall|Y sovrascrivere|Y store|Y tem|Y token|Y update
0.4|Y user|Y warning|Y z|Y ключ|Y きし|Y を上|Y 上書|Y 否覆|Y 書き|Y 行し|Yg asks doubt|Yg near heading|Yg says doubt|asks means removes|asks means stops
0.4|command apply|command cd|command createuser|command cryptsetup|command ed|command f|command home|command id|command installation|command ldap
0.4|command mkfs|command nas|command npm|command photos|command reboot|command restore|command rm|command secure|command set|command sh|command sqlite
0.4|command sudo|command svn|command user|command users|command z|offers and|offers diff|offers differences|offers enter|offers esc|offers etc|offers i
0.4|offers load|offers means spares|offers means trusts|offers now|offers other|offers override|offers partition|offers quitter|offers run|offers start
0.4|offers tell|offers to|offers what|says means removes|says means warns
0.3|C near means installs|C near means removes|F asks caution|F certificate|F continue|F die|F id|F insert|F last caution|F last means data
0.3|F last means grants|F machine|F near verb|F or|F says caution|F says means shows|F says threat|F serial|O already|O asks changed|O asks heading
0.3|O asks mild|O c|O conf|O home|O install|O keep|O last means loses|O near means destroys|O near means pays|O offers means replaces|O offers shown
0.3|O says heading|O set|O shell|O suspend|O worktree|O yml|P choose|P ein|P geben|P give|P home|P last caution|P last means pays|P maintenance
0.3|P near doubt|P near verb|P says means installs|P sie|Y 'yes'|Y administrator|Y anyway|Y asks caution|Y asks means destroys|Y asks means grants
0.3|Y authorized|Y bucket|Y clear|Y command password|Y config|Y contents|Y continuare|Y datei|Y die|Y execute|Y exit|Y filesystem|Y firewall|Y img
0.3|Y inode|Y last means pays|Y last means undone|Y local|Y messages|Y near means publishes|Y registry|Y says caution|Y says means grants
0.3|Y says means publishes|Y schlüssel|Y snapshot|Y them|Y working|Y überschreiben|Y ァイ|Y イル|Y ファ|Y ルを|Y 文件|Yg mild -|Yg near doubt|asks means warns
0.3|command edit|command fsck|command https|command mv|command name|command on|command openconnect|command org|command php|command purge|command rake
0.3|command router|command sql|command sr|command the|command tool|command zlib|last means changesSecret|last means grants|last means loses
0.3|last means removes|near means all|offers 0|offers all|offers between|offers copy|offers date|offers each|offers examine|offers filter|offers first
0.3|offers fully|offers hello|offers j|offers know|offers maintainer's|offers marginally|offers means replaces|offers mib|offers numbers|offers pattern
0.3|offers root|offers say|offers scripts|offers shell|offers shop|offers suspend|offers t|offers this|offers txt|offers u|offers ultimately|offers w
0.3|offers will|offers won't|offers you|says means pays
0.2|C near means doubts|C near means warns|F action|F asks means exists|F asks means pays|F asks means replaces|F blank|F describe|F domain|F import
0.2|F merge|F not|F of|F para|F prod|F re|F says means grants|F says means pays|F says means replaces|F the|O above|O again|O asks means data
0.2|O asks means destroys|O asks means installs|O asks means replaces|O asks means trusts|O changes|O dev|O emporarily|O ermanently|O es|O how|O iew
0.2|O kip|O last means doubts|O last means installs|O last mild|O near heading|O near means spares|O offers caution|O offers means all
0.2|O offers means loses|O offers means stops|O p|O rb|O says means trusts|O says runs|O selection|O will|O 请选|Og offers threat|P alice|P hasło|P input
0.2|P last means exists|P last means stops|P mild o|P near means exists|P near means pays|P near means publishes|P on|P password|P passwort
0.2|P repository|P superuser|P to|Y '|Y a|Y about|Y agent|Y asks means exposes|Y asks means stops|Y asks means undone|Y at|Y base|Y branches|Y buffer
0.2|Y can|Y continue|Y do|Y docs|Y drop|Y el|Y enter -|Y ext|Y go|Y install|Y it|Y kernel|Y l|Y last means removes|Y me|Y near changed
0.2|Y near means exposes|Y near means forces|Y near means stops|Y new|Y org|Y permanently|Y reboot|Y remote|Y revert|Y revoke|Y says means exposes
0.2|Y says means undone|Y storage|Y stored|Y supprimer|Y than|Y unknown|Y use|Y users|Y verification|Y wipe|Y wish|Y écraser|Y файл|Y を削|Y 删除|Y 削除|Y 除し
0.2|Yg|Yg near caution|asks means changesSecret|asks means data|asks means replaces|asks means spares|asks means trusts|command cli|command docs
0.2|command e|command ext|command extract|command find|command for|command gz|command interactive|command interface|command keytool|command mount
0.2|command n|command none|command overwrite|command rename|command root|command service|command site|command softhsm|command staging|command syn
0.2|command ufw|command ui|last means doubts|near means loses|offers a|offers ask|offers cancel|offers contents|offers currently|offers finish
0.2|offers ignore|offers installed|offers just|offers latest|offers leave|offers logs|offers means all|offers means loses|offers means stops|offers n
0.2|offers nothing|offers ok|offers permanently|offers q|offers r|offers release|offers replace|offers skip|offers temporarily|offers temporary
0.2|offers type|offers want|offers without|offers your|says means changesSecret|says means undone
0.1|C near means loses|Cg last verb|F asks means forces|F d|F data|F eingabetaste|F entry|F entrée|F environment|F fortzufahren
0.1|F last means changesSecret|F last means trusts|F last means warns|F near means installs|F near means warns|F run|F says means data|F server|F um
0.1|O acme|O and|O app|O asks doubt|O asks means shows|O automatically|O command harm|O eject|O last means all|O name|O offers means data
0.1|O offers means undone|O offers means warns|O remove|O removed|O says doubt|O them|O with|P last doubt|P last means doubts
0.1|P near means changesSecret|P near means exposes|P repeat|P для|Y 'a|Y 'call|Y acme|Y boot|Y card|Y connecting|Y définitivement|Y erase|Y files
0.1|Y flash|Y flush|Y have|Y if|Y near mild|Y node|Y private|Y public|Y region|Y regular|Y resetting|Y rotate|Y shell|Y site|Y ssh|Y tasks|Y those
0.1|Y удалить|asks means exists|asks means publishes|asks means undone|command add|command alice|command apps|command build|command c|command cat
0.1|command co|command cp|command docker|command dropdb|command gitlab|command i|command keystore|command m|command md|command modules|command output
0.1|command production|command prune|command psql|command setup|command src|last means data|last means trusts|near means pays|near means removes
0.1|near means warns|offers an|offers append|offers be|offers com|offers confirm|offers means undone|offers means warns|offers reject|offers show
0.1|says means data|says means exposes|says means stops
-0.1|C admin|C asks means publishes|C asks mild|C asks shown|C browse|C c|C cli|C help|C irb|C last caution|C last means exists|C last means publishes
-0.1|C localhost|C near threat|C notes|C p|C press|C quit|C return|C router|C says means removes|C says mild|C says shown|C sh|Cg near runs
-0.1|Cg near shown|F browser|F c|F cache|F connection|F created|F field|F files|F installation|F last means removes|F last shown|F named
-0.1|F near means forces|F near shown|F node|F private|F says means exposes|F sequence|F service|F site|F target|F write|F 安装|F 装目|O application|O are
-0.1|O arrow|O asks means warns|O deed o|O defaults|O enter n|O gitlab|O last means spares|O last verb|O near means changesSecret|O near means doubts
-0.1|O near means removes|O offers means publishes|O option|O packages|O perform|O quit|O starter|O task|P asks means data|P asks means installs
-0.1|P contraseña|P deed -|P digit|P disk|P for|P last means warns|P mild -|P pem|P says means grants|P ード|Pg enter -|Y also|Y asks means installs
-0.1|Y bob|Y com|Y edit|Y failed|Y first|Y il|Y last means doubts|Y le|Y make|Y message|Y or|Y release|Y says means trusts|Y shop|Y signing|Y value
-0.1|Y wirklich|Y すか|Yg near rights|asks means forces|asks means loses|command '|command abc|command aws|command big|command bundle|command command
-0.1|command configuration|command cpan|command deploy|command dotfiles|command flatpak|command int|command j|command of|command one|command oracle
-0.1|command perl|command target|command terraform|command util|command vpn|near means spares|offers account|offers acme|offers application
-0.1|offers build|offers bun|offers cli|offers differently|offers disks|offers documentation|offers electron|offers empty|offers english|offers execute
-0.1|offers existing|offers hook|offers https|offers means publishes|offers never|offers open|offers preact|offers re|offers structure|offers tanstack
-0.1|offers x|offers yarn|offers д|offers н
-0.2|C '|C a|C for|C ftp|C git|C home|C iex|C last means exposes|C last means spares|C last rights|C mild o|C near caution|C near doubt
-0.2|C near means exposes|C near means spares|C near means stops|C near rights|C proj|C says means data|C says means shows|C space|C sql|C to|C user
-0.2|C web|C white|C λ|Cg mild -|F a|F account|F admin|F app|F asks means all|F asks means changesSecret|F asks means grants|F asks means spares|F aws
-0.2|F call|F called|F class|F comment|F configuration|F constraint|F control|F ctrl|F dump|F emails|F entity|F example|F folder|F found|F full|F have
-0.2|F hex|F if|F install|F instance|F ip|F is|F its|F key|F keysize|F language|F last means destroys|F last means exposes|F last means publishes
-0.2|F last means replaces|F license|F location|F log|F notes|F pick|F realm|F rename|F says means publishes|F says means spares|F says mild|F scan
-0.2|F select|F sent|F source|F storage|F system|F tests|F valid|F web|F who|F whom|F with|F work|F workers|F would|F ァイ|F イル|F ファ|F 请输|F 输入|F 项目
-0.2|Fg asks threat|Fg says threat|O account|O ame|O append|O as|O colour|O configuration|O configure|O confirm|O github|O installation|O into|O kay
-0.2|O last means grants|O last means publishes|O list|O merge|O mild n|O near means all|O near means data|O near means exposes|O near means undone
-0.2|O new|O offers means exposes|O offers means removes|O omment|O ontinue|O origin|O preset|O r|O read|O says means installs|O says means loses
-0.2|O search|O select|O service|O to|O using|O version|O web|O which|Og enter -|Og enter n|Og mild o|Og near secret|Og offers secret|P arn
-0.2|P asks means loses|P asks means stops|P authenticator|P de|P enter|P factor|P from|P iam|P id|P is|P last means grants|P last means installs|P mfa
-0.2|P pass|P personal|P says means loses|P says means stops|P says means trusts|P two|P type|P what|P пароль|Pg|Y|Y api|Y app|Y asks heading
-0.2|Y asks means loses|Y cancel|Y commit|Y continuer|Y de|Y example|Y file|Y foo|Y i|Y installed|Y last means data|Y last means installs
-0.2|Y last means shows|Y last means stops|Y last means trusts|Y last means warns|Y mild o|Y near means changesSecret|Y near means spares
-0.2|Y near subcommand|Y o|Y packages|Y process|Y remove|Y says heading|Y says means changesSecret|Y says means stops|Y set|Y sie|Y u|Y usr|Y vous
-0.2|Y yes|Y you|Y しま|Y 続行|Yg near mild|asks means shows|command agent|command apt|command bad|command bin|command bootstrap|command box|command conan
-0.2|command confirm|command console|command create|command doc|command done|command dotnet|command dpkg|command env|command exec|command firstboot
-0.2|command g|command gpg|command head|command jar|command json|command luks|command mc|command nano|command orders|command pass|command path
-0.2|command plain|command plan|command prod|command prompt|command rb|command send|command ssh|command st|command stdin|command terminal
-0.2|command update|command upgrade|last means destroys|last means installs|last means publishes|near means forces|offers accept|offers antarctica
-0.2|offers as|offers atlantic|offers australia|offers aws|offers c|offers cloud|offers code|offers conf|offers configure|offers core|offers customize
-0.2|offers days|offers defaults|offers delete|offers dev|offers disk|offers east|offers ed|offers email|offers exit|offers expert|offers factory
-0.2|offers find|offers full|offers images|offers indian|offers initialize|offers insert|offers installation|offers interface|offers io|offers it
-0.2|offers js|offers k|offers key|offers lit|offers local|offers location|offers lodash|offers means exposes|offers module|offers more|offers non
-0.2|offers npm|offers okay|offers output|offers pacific|offers packages|offers prepatch|offers process|offers project|offers read|offers router
-0.2|offers solid|offers standard|offers state|offers style|offers syntax|offers tests|offers that|offers the|offers tool|offers user|offers version
-0.2|offers vite|offers да|offers нет|says means loses
-0.3|C and|C asks means data|C asks verb|C command runs|C deed -|C gpg|C in|C last means doubts|C last means loses|C last means pays
-0.3|C last means trusts|C last mild|C main|C near means exists|C near means forces|C near means pays|C near runs|C says verb|C txt|C w|F absolute
-0.3|F access|F asks mild|F begin|F bucket|F choose|F component|F config|F create|F date|F deed -|F di|F do|F format|F give|F in|F index
-0.3|F last means pays|F length|F move|F near means publishes|F near means removes|F network|F no|F nom|F one|F open|F pathname|F pattern|F players
-0.3|F presione|F provide|F pulse|F q|F question|F real|F region|F shell|F test|F un|F want|F x|F нажмите|F продолжения|F くだ|F さい|F して|F ださ|F てく|F クト
-0.3|F 目录|O asks means changesSecret|O asks means forces|O asks means stops|O ccept|O continue|O framework|O hunk|O language|O last means forces|O of
-0.3|O options|O play|O says means grants|O says means replaces|O section|O start|O submit|O system|O that|O typescript|O una|O up|O want|O x
-0.3|Og near mild|Og says mild|P '|P admin|P an|P app|P authentication|P last threat|P last trust|P luks|P near means all|P secret|Y access|Y agreement
-0.3|Y are|Y asks means changesSecret|Y authority|Y automatically|Y being|Y build|Y cluster|Y debuginfod|Y delete|Y dependencies|Y deseja|Y draft|Y end
-0.3|Y exist|Y faut|Y github|Y is|Y last means all|Y last means destroys|Y last means spares|Y mild -|Y mild n|Y mild y|Y möchten|Y near means grants
-0.3|Y near means installs|Y origin|Y que|Y quit|Y root|Y says means loses|Y service|Y tables|Y these|Y this|Y werden|Y よろ|Y ろし|Yg asks mild|command b
-0.3|command break|command ca|command code|command com|command commands|command conf|command config|command connection|command cvs|command de
-0.3|command do|command en|command enter|command etc|command firefox|command fix|command flow|command from|command games|command hi|command it
-0.3|command js|command kill|command linux|command load|command ls|command main|command ng|command null|command piv|command ps|command push
-0.3|command remote|command secret|command sign|command status|command t|command token|command us|command wav|command y|last means forces
-0.3|last means replaces|offers access|offers address|offers adduser|offers africa|offers alternatives|offers angular|offers ap|offers apt
-0.3|offers authentication|offers b|offers blank|offers both|offers browser|offers bug|offers circle|offers component|offers csv|offers directory
-0.3|offers docs|offers express|offers foo|offers from|offers gitlab|offers gpl|offers green|offers group|offers has|offers here|offers host
-0.3|offers keyboard|offers layout|offers log|offers longer|offers means removes|offers miscellaneous|offers most|offers nano|offers next|offers or
-0.3|offers play|offers port|offers print|offers prod|offers rc|offers reboot|offers remote|offers report|offers scratch|offers screen|offers settings
-0.3|offers setup|offers specify|offers svelte|offers tmp|offers token|offers unit|offers use|offers vim|offers west|offers 否|offers 是|says means all
-0.3|says means forces
-0.4|C asks means shows|C command|C db|C enter|C last means changesSecret|C last means installs|C last means warns|C last verb|C near means data
-0.4|C near means shows|C shop|C x|F administrator|F amount|F archive|F as|F asks shown|F at|F change|F continuare|F desired|F e|F exit|F find|F first
-0.4|F guess|F home|F intro|F label|F last|F leave|F line|F local|F login|F mild o|F name|F near means exposes|F near mild|F new|F patch|F per|F point
-0.4|F says shown|F session|F should|F tecla|F ticket|F title|F txt|F where|F you|F zielverzeichnis|F для|F имя|O ancel|O asks means loses|O asks shown
-0.4|O at|O device|O environment|O etry|O file|O for|O keys|O last means stops|O login|O man|O near means forces|O near means grants|O project|O q
-0.4|O says means shows|O says shown|O size|O skip|O these|O type|O u|O what|O your|O zone|Og|Og asks mild|Og enter o|Og last mild|P|P auth|P aws
-0.4|P certificate|P enter o|P example|P last means data|P login|P near means trusts|P near means warns|P nss|P org|P paste|P says mild|P sdb|P share
-0.4|P the|Y again|Y an|Y asks means shows|Y asks mild|Y bin|Y configure|Y directories|Y display|Y e|Y enable|Y es|Y fortfahren|Y found|Y generate
-0.4|Y installation|Y keyring|Y kill|Y los|Y objects|Y on|Y package|Y reload|Y report|Y reset|Y says means shows|Y says mild|Y signature|Y software
-0.4|Y start|Y stop|Y system|Y いで|Y しい|Y です|Y 保存|Yg enter y|command admin|command api|command cargo|command cert|command cfg|command cjs
-0.4|command cluster|command dc|command device|command export|command files|command foo|command hg|command in|command installer|command iso
-0.4|command latest|command less|command man|command menu|command milk|command mvn|command node|command nosuch|command passphrase|command pg|command pl
-0.4|command poetry|command port|command printf|command project|command registry|command rsa|command upload|command wget|command yarn|last means spares
-0.4|near means changesSecret|offers advanced|offers aliases|offers alice|offers alpha|offers apache|offers asia|offers blue|offers ci|offers comment
-0.4|offers continue|offers dir|offers display|offers dsa|offers elgamal|offers encrypt|offers eslint|offers europe|offers external|offers features
-0.4|offers format|offers generate|offers get|offers github|offers information|offers javascript|offers last|offers library|offers login|offers me
-0.4|offers minor|offers mit|offers network|offers nightly|offers none|offers p|offers production|offers required|offers reset|offers rsa|offers search
-0.4|offers security|offers sign|offers template|offers upgrade|offers using|offers vue|offers which|offers yaml|offers zsh|says means shows
-0.5|C alice|C box|C command harm|C dev|C devbox|C near means publishes|C near mild|C near verb|C root|C says means grants|Cg last mild|F '|F apply
-0.5|F asks means exposes|F code|F commit|F country|F device|F du|F enter y|F host|F mail|F message|F near means changesSecret|F near means pays
-0.5|F near means replaces|F nombre|F nome|F release|F root|F size|F te|F text|F time|F use|F version|F which|O|O abort|O boot|O choice|O commit
-0.5|O country|O create|O e|O email|O enter -|O last means replaces|O level|O none|O offers means installs|O opción|O package|O region|O retry
-0.5|O says means changesSecret|O services|O software|O template|O terms|O the|O then|O white|O zsh|O 番号|Og mild -|Og offers shown|P 's|P account|P api
-0.5|P asks means publishes|P confirm|P current|P enter -|P keystore|P last means loses|P last mild|P near means doubts|P pin|P registry|P retype
-0.5|P says means publishes|P vault|Y action|Y anonymous|Y another|Y any|Y back|Y beenden|Y browser|Y cart|Y certificate|Y d|Y database|Y desea|Y du
-0.5|Y its|Y les|Y license|Y m|Y open|Y port|Y quitter|Y save|Y selected|Y session|Y terms|Y test|Y they|Y using|Y volume|Y w|Y we|Y y|Y your|Y 退出
-0.5|Yg command rights|command a|command check|command client|command clone|command cmd|command crypt|command data|command input|command k|command more
-0.5|command mysql|command new|command no|command notes|command o|command openvpn|command projects|command proxy|command py|command python|command read
-0.5|command select|command sleep|command srv|command volume|command wizard|command zip|offers api|offers apply|offers austria|offers bash|offers basic
-0.5|offers bob|offers custom|offers d|offers data|offers database|offers de|offers fix|offers for|offers free|offers guests|offers hard|offers major
-0.5|offers manual|offers manually|offers means installs|offers page|offers program|offers quit|offers red|offers retry|offers return|offers service
-0.5|offers set|offers simple|offers ssh|offers system|offers typescript|offers users|offers v|offers web|offers webroot|offers white|offers 終了
-0.5|offers 退出
-0.6|C asks means grants|C asks means removes|C last means data|C last means grants|C near means changesSecret|C near means trusts|F 0|F an|F client
-0.6|F command|F common|F de|F default|F input|F mild -|F next|F package|F save|F specify|F start|F subject|F when|Fg last verb|Fg says mild|O action
-0.6|O d|O enter o|O failed|O format|O generated|O group|O ignore|O l|O like|O offers means pays|O one|O replace|O stage|O used|O would|Og mild n
-0.6|P 'dev'|P and|P asks typed|P dev|P near means data|P passcode|P press|P says typed|Y accept|Y as|Y asks means spares|Y default|Y destroy
-0.6|Y detected|Y git|Y https|Y jetzt|Y json|Y project|Y restart|Y says means spares|Y settings|Y sind|Y specify|Y try|Y voulez|Y want|Y хотите|Y 了し
-0.6|Y 确定|Y 終了|command app|command ask|command auth|command auto|command buy|command connect|command email|command ftp|command gc|command go
-0.6|command help|command office|command openbsd|command quickstart|command readme|command reconfigure|command register|command run|command sha
-0.6|command u|command use|command username|command v|command vim|command wp|offers add|offers current|offers f|offers http|offers info|offers large
-0.6|offers means pays|offers modify|offers mysql|offers name|offers on|offers one|offers org|offers place|offers preview|offers recommended
-0.6|offers send|offers small|offers usr
-0.7|C mild -|C more|C near means grants|Cg mild o|F accept|F any|F author|F continuar|F description|F end|F from|F here|F hit|F load|F project
-0.7|F search|F url|Fg asks mild|O add|O b|O choose|O enter|O license|O mail|O near secret|O offers secret|O says means all|O server|O this|O use|O you
-0.7|P access|P db|P key|P last means destroys|P last means publishes|P one|P or|P same|P sda|P time|P token|P verification|Y 'a'|Y breakpoint
-0.7|Y information|Y last|Y last means exists|Y like|Y mail|Y may|Y mode|Y n|Y other|Y policy|Y s|Y server|Y telemetry|Y the|Y would|Y zsh|Y を終
-0.7|command cf|command cn|command enc|command git|command host|command kinit|command lang|command private|command release|command tools|command tty
-0.7|command unlock|command usr|command utf|command web|command work|command yaml|near means shows|offers app|offers base|offers beta|offers config
-0.7|offers configuration|offers distribution|offers e|offers edit|offers eu|offers json|offers list|offers medium|offers mode|offers normal
-0.7|offers only|offers react|offers revert|offers salir|offers save|offers staging|offers status|offers up
-0.8|C 0|C last means replaces|C last means stops|F command password|F email|F enter o|F filename|F how|F last means exists|F last means shows|F many
-0.8|F output|F user|F value|F volume|F what|O a|O all|O answer|O change|O default|O image|O in|O mild -|O mode|O near means stops|O next
-0.8|O says means forces|O update|P 0|P asks mild|P für|P host|P imap|P localhost|P near means destroys|P near means spares|P otp|P passphrase|P unlock
-0.8|Y c|Y ca|Y created|Y name|Y near means shows|Y possibilities|Y publish|Y ready|Y replace|Y vuoi|command account|command mkpasswd|command npx
-0.8|command out|command patch|command pem|command pkg|command publish|command pw|command q|command share|command shop|command show|command test
-0.8|command tmp|command w|command wifi|offers change|offers debian|offers default|offers options|offers patch|offers src|offers standalone|offers test
-0.8|offers us
-0.9|F path|F port|F press|F program|F username|Fg mild o|O an|O by|O near means publishes|O press|O user|Og offers mild|P alice's|P archive
-0.9|P asks means exists|P at|P last verb|P near means loses|P near trust|Y asks subcommand|Y from|Y load|Y says subcommand|Y time|command borg
-0.9|command copy|command debug|command encrypt|command generate|command hash|command insert|command mail|command nmcli|command save|offers create
-0.9|offers of|offers password|offers server
-1.0|F address|F deed o|F near means exists|F your|O correct|O restore|P asks trust|P encryption|P says trust|Y above|Y correct|Y create|command echo
-1.0|command http|command make|command mnt|command systemd|command tar
-1.1|C last means destroys|F directory|F for|Fg enter -|O pick|P code|P master|P ssh|Y does|Y now|Y see|Yg mild y|command configure|command init
-1.1|command install|command list|command vault|command yml|offers g|offers l
-1.2|C enter o|Y before|Y instance|Y instructions|Y should|Y typescript|any|command commit
-1.3|F enter -|Fg|Fg enter o|command open
-1.4|Cg enter o|F|Y enter y|command localhost|command login
-1.5|C enter -|F near means shows
-1.6|C|Cg enter -
-1.7|Cg|P your
-1.9|F file|Y asks shown|Y says shown
`
