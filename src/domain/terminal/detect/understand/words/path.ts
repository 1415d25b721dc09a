import { lexicon } from './lexicon.ts'

/** Asks for a file or a directory. */
export const pathWords = lexicon(
  [
    String.raw`paths?(?! (?:length|cost|constraint))|pathname|file ?paths?|file ?names?|(?<!end[- ]of[- ])files?(?! ?systems?)|director(?:y|ies)|folders?|dir|\p{L}{1,60}-(?:file|dir|directory|path)|(?:key|log|config|conf|script|zip|out|in)file`,
    String.raw`save(?: \p{L}+){0,3} as|save (?:it |this |the \p{L}+ )?(?:to|in|under)|mount ?point|archive name|web ?root|(?:document|server|project) root|(?:import|read|load|restore)(?: \p{L}+)? from|location of|mount on|(?:ch|c)d(?:ir)? to|(?:write|export|save)(?: \p{L}+)? to|keyfile|(?:install(?:ation)?|target|output|destination|data) (?:location|prefix|path|root)`,
    String.raw`datei(?:name|pfad)?|dateien|pfad|verzeichnis(?:name)?|ordner|\p{L}{0,60}(?:verzeichnis|ordner|pfad|datei)|speichern unter|ablageort|speicherort`,
    String.raw`(?<!systèmes? de )fichiers?|chemin|répertoires?|dossiers?|nom du fichier|enregistrer sous|emplacement`,
    String.raw`(?<!sistemas? de )(?:archivos?|ficheros?)|ruta|directorios?|carpetas?|nombre del? (?:archivo|fichero)|guardar como|ubicación`,
    String.raw`(?<!sistemas? de )(?:arquivos?|ficheiros?)|caminho|diretórios?|diretorio|pastas?|percorso|cartella|nome del file|directory`,
    String.raw`файла?|путь|пути|каталога?|папк[аиу]|директори[яию]|bestand|(?:doel|bron|werk|thuis|bestemmings|installatie)map|sökväg|katalog|plik|ścieżka|soubor|cesta|dosya|dizin`,
  ],
  [
    '文件(?!系统)|文件夹|檔案|路径|路徑|目录|目錄|資料夾|位置',
    'ファイル(?!システム)|パス名|パス(?!ワード|フレーズ|コード)|ディレクトリ|フォルダ|保存先',
    '파일|경로|디렉터리|디렉토리|폴더',
  ],
)

/** Asks where to put something: a path. */
export const whereTo =
  /^[^\p{L}]*(?:\p{L}+\s){0,3}?(?:where|wo|wohin|où|dónde|onde|dove|куда|где)(?![\p{L}]).{0,60}?(?:install|save|saved|stor|put|creat|writ|locat|plac|keep|export|download|extract|backup|speicher|ableg|installier|enregistr|guard|salv|instal|сохран|установ)/iu

/** Begins like a path. */
export const looksLikePath = (text: string): boolean =>
  /^(?:~?\/|\.{1,2}\/|~$|\.$|[\w-]+\.(?:csv|txt|json|ya?ml|toml|ini|conf|cfg|log|pdf|html?|xml|md|tar|gz|tgz|zip|db|sqlite|png|jpe?g|pem|key|crt|iso|img|sql|out)$|[\w.-]+(?:\/[\w.-]+)+\.\w{1,5}$|[A-Za-z]:\\|\$\{?[A-Z_]+\}?\/)/u.test(
    text.trim(),
  )
