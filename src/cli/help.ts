export const HELP = `shelfmark - the resources layer of the Model Context Protocol (MCP)

Usage
  shelfmark serve <source>... [options]   serve data as resources to any MCP host

Examples
  shelfmark serve ./docs                  on standard input and output, as hosts start it
  shelfmark serve ./docs --http 7467      over HTTP, at http://127.0.0.1:7467/mcp
  shelfmark serve ./docs notes=~/Notes    two folders, one under a name of its own

  shelfmark serve --help                  all about sources and options
  shelfmark --version
`

export const SERVE_HELP = `shelfmark serve <source>... - serve data as MCP resources

A source is a folder: ./docs, /srv/manuals, or name=./docs to choose the name in its URIs.
A file docs/guide.md of it is then the resource file:///docs/guide.md. Hidden files and what
.gitignore leaves out are not served; secrets (.env, keys, credentials, .git) never are.

Options
  --http [host:]port   serve over HTTP at http://<host>:<port>/mcp instead of standard input and output;
                       the host must be a loopback address (default 127.0.0.1), port 0 takes any free one
  --name <name>        what the server calls itself to hosts (default: shelfmark)
  --hidden             serve hidden files too
  --no-ignore          serve what .gitignore files leave out
  --max-read <bytes>   the largest resource that is read in one piece (default 5242880)
  -h, --help           this text

Examples
  shelfmark serve ./docs
  shelfmark serve ./docs handbook=/srv/handbook --name team --http 7467

To connect a host that starts servers itself, give it this command:
  shelfmark serve /absolute/path/to/folder
or, from a clone:
  node /absolute/path/to/shelfmark/dist/bin/shelfmark.js serve /absolute/path/to/folder
Hosts that take URLs get the endpoint that --http prints.

Exit codes: 0 done, 1 the operation failed, 2 wrong usage.
`
