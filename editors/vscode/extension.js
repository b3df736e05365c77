// Starts the language servers of the package: `tinytc lsp` for .ir and .tinytc, `tinytc-lsp-server` for .mlir.

const vscode = require("vscode");
const { LanguageClient } = require("vscode-languageclient/node");

const SERVERS = [
  { language: "tinytc", setting: "server", name: "Tiny Tensor language" },
  { language: "mlir", setting: "mlirServer", name: "MLIR with tinytc" },
];

let clients = [];

function settings() {
  return vscode.workspace.getConfiguration("tinytc");
}

async function start() {
  for (const { language, setting, name } of SERVERS) {
    const [command, ...args] = settings().get(setting);
    if (!command) continue;
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
