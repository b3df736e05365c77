// Starts the language servers of the package: `tinytc lsp` for .ir and .tinytc, `tinytc-lsp-server` for .mlir.

const vscode = require("vscode");
const { LanguageClient } = require("vscode-languageclient/node");
const environment = require("./environment");

const SERVERS = [
  { language: "tinytc", setting: "server", name: "Tiny Tensor language" },
  { language: "mlir", setting: "mlirServer", name: "MLIR with tinytc" },
];

let clients = [];

function settings() {
  return vscode.workspace.getConfiguration("tinytc");
}

// The interpreter that the Python extension has chosen, if there is that extension.
async function interpreter() {
  const python = vscode.extensions.getExtension("ms-python.python");
  if (!python) return undefined;
  try {
    const api = python.isActive ? python.exports : await python.activate();
    return api?.environments?.getActiveEnvironmentPath()?.path;
  } catch {
    return undefined;
  }
}

async function places() {
  const roots = (vscode.workspace.workspaceFolders ?? []).map((folder) => folder.uri.fsPath);
  return environment.folders(roots, await interpreter(), process.env);
}

async function start() {
  const folders = await places();
  for (const { language, setting, name } of SERVERS) {
    const [named, ...args] = settings().get(setting);
    if (!named) continue;
    const command = environment.locate(named, folders);
    const client = new LanguageClient(
      `tinytc.${language}`,
      name,
      { command, args },
      {
        documentSelector: [{ language }],
        initializationOptions: { defines: settings().get("defines") },
        synchronize: { configurationSection: "tinytc" },
      },
    );
    try {
      await client.start();
      clients.push(client);
    } catch (error) {
      vscode.window.showErrorMessage(
        `${name}: expected the command '${command}' to start, got: ${error.message}. ` +
          `pip install 'tinytc-mlir[lsp]', or set tinytc.${setting}.`,
      );
    }
  }
}

async function stop() {
  const running = clients;
  clients = [];
  await Promise.all(running.map((client) => client.stop()));
}

async function activate(context) {
  const restart = async () => {
    await stop();
    await start();
  };
  context.subscriptions.push(vscode.commands.registerCommand("tinytc.restart", restart));
  await start();
}

module.exports = { activate, deactivate: stop };
