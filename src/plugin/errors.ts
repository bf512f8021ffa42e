import { HardhatPluginError } from "@nomicfoundation/hardhat-errors";

/**
 * Every error on which a user can act: what is wrong, with the value, and what to do next, in one or two sentences.
 * Codes are stable; texts are not.
 */
const messages = {
  ABI_INVALID: ({ reason }: { reason: string }) =>
    `The ABI of the contract cannot be read: ${reason}. Give what Hardhat has built: await artifacts.readArtifact("Token").`,
  ACCOUNTS_CHANGED: ({
    directory,
    node,
    saved,
    found,
  }: {
    directory: string;
    node: string;
    saved: string;
    found: string;
  }) =>
    `In ${directory}, ${node} endorses as ${saved}, but the network's account for it is ${found} now. Use the accounts of the earlier run, or another --data-dir.`,
  ACCOUNTS_TOO_FEW: ({
    network,
    have,
    need,
  }: {
    network: string;
    have: number;
    need: number;
  }) =>
    `Network "${network}" has ${have} accounts with keys, and ${need} nodes need one each. Add keys to networks.${network}.accounts, or use fewer nodes.`,
  ACCOUNT_DUPLICATE: ({ address, network }: Place) =>
    `Account ${address} is there twice in networks.${network}.accounts. Every node needs one of its own.`,
  ACCOUNT_INVALID: ({ account }: { account: string }) =>
    `"${account}" is not an account. Write name@node, as in treasury@alice.`,
  ADDRESS_INVALID: ({ name, value }: { name: string; value: string }) =>
    `${name} "${value}" is not an address. Give "0x" and 40 hexadecimal digits.`,
  ADDRESS_CHECKSUM: ({ name, value }: { name: string; value: string }) =>
    `${name} "${value}" has a wrong checksum. Look for a typing mistake, or write it in lower case if you are sure.`,
  ARGS_INVALID: ({ value }: { value: string }) =>
    `--args ${JSON.stringify(value)} is not a JSON object or list. Give the arguments by name, as in --args '{"to":"pot","amount":"10"}'.`,
  CHAIN_OTHER: ({
    directory,
    network,
    reason,
  }: {
    directory: string;
    network: string;
    reason: string;
  }) =>
    `The nodes in ${directory} belong to another chain than network "${network}" is now: ${reason}. Use the chain of the earlier run, such as one that npx hardhat node keeps, or another --data-dir; simulated networks are new in every run.`,
  ARTIFACT_INVALID: ({ value }: { value: string }) =>
    `${value} is not bytecode that can be deployed. Interfaces and abstract contracts have none: give a contract, and link its libraries first.`,
  ARGUMENTS_INVALID: ({ name, problems }: { name: string; problems: string }) =>
    `${name} does not take these arguments: ${problems}. Give every argument by its name, and large integers as bigint or as text with decimal digits.`,
  CHAIN_NOT_SIMULATED: ({ what, network }: { what: string; network: string }) =>
    `${what} needs a simulated chain, and network "${network}" is not one. Use a network of type "edr-simulated".`,
  CHOICE_INVALID: ({
    name,
    value,
    choices,
  }: {
    name: string;
    value: string;
    choices: string;
  }) => `${name} "${value}" is not known. Give one of: ${choices}.`,
  CLUSTER_NOT_STARTED: ({ network }: { network: string }) =>
    `No nodes run on this connection with network "${network}". Start them first: await connection.sequencer.start().`,
  CLUSTER_RUNNING: ({ network }: { network: string }) =>
    `Nodes run already on this connection with network "${network}". Use connection.sequencer.cluster, stop it first, or make another connection.`,
  CLUSTER_STOPPED: () =>
    "The cluster has stopped, and nothing happens in it any more. Start another one: await connection.sequencer.start().",
  CODE_MISMATCH: ({ name, address, network }: Place & { name: string }) =>
    `There is other code than expected at the ${name}'s address ${address} on network "${network}". Use another chain, or name a factory of your own in sequencer.networks.${network}.factory.`,
  CONFIGURATION_INVALID: ({ value }: { value: string }) =>
    `--configuration ${JSON.stringify(value)} is not a JSON object of texts. Write it as in --configuration '{"notaries":"alice,bob"}', and give the threshold with --threshold.`,
  COUNT_INVALID: ({ name, value }: { name: string; value: string }) =>
    `${name} "${value}" is out of range. Give a whole number from 1 to 1000000.`,
  DATA_DIR_DAMAGED: ({ reason }: { reason: string }) =>
    `The data directory cannot be used: ${reason} Or use another --data-dir.`,
  DATA_DIR_INVALID: ({
    directory,
    reason,
  }: {
    directory: string;
    reason: string;
  }) =>
    `--data-dir "${directory}" cannot be used: ${reason}. Give the path of a directory that you can write to.`,
  DATA_DIR_LOCKED: ({ directory }: { directory: string }) =>
    `Another process runs the nodes in ${directory}. Stop it first, or use another --data-dir.`,
  DATA_DIR_MISSING: ({ node }: { node: string }) =>
    `${node} must remember what it accepted. Give it --data-dir with the path of a directory; its files are in a folder with its name.`,
  DATA_DIR_OTHER: ({
    directory,
    option,
    value,
    saved,
  }: {
    directory: string;
    option: string;
    value: string | number;
    saved: string | number;
  }) =>
    `${option} ${value} does not fit what is in ${directory}: there it is ${saved}. Leave ${option} out, or use another --data-dir.`,
  DATABASE_BUSY: ({ reason }: { reason: string }) => reason,
  DATABASE_DAMAGED: ({ reason }: { reason: string }) => reason,
  DATABASE_DRIVER_MISSING: ({ reason }: { reason: string }) => reason,
  DATABASE_EMPTY: ({
    node,
    schema,
    host,
  }: {
    node: string;
    schema: string;
    host: string;
  }) =>
    `The database at ${host} has no tables of ${node}: they would be in the schema ${schema}. Start a replica of ${node}, which makes them, or correct --name or sequencer.database.`,
  DATABASE_FORGOTTEN: ({ reason }: { reason: string }) => reason,
  DATABASE_LEASE_LOST: ({ reason }: { reason: string }) =>
    `${reason} Run again.`,
  DATABASE_NO_SOURCE: ({ reason }: { reason: string }) => reason,
  DATABASE_NOT_CONFIGURED: ({ node }: { node: string }) =>
    `The configuration names no database for ${node}. Add one: sequencer.database with url: configVariable("SEQUENCER_DATABASE_URL").`,
  DATABASE_NOT_EMPTY: ({ reason }: { reason: string }) => reason,
  DATABASE_NOT_ENCRYPTED: ({ host }: { host: string }) =>
    `The connection with the database at ${host} would not be encrypted, or not show that it is the right server, and turns have private states in them. Add sslmode=verify-full to sequencer.database.url; only a database on this machine can do without.`,
  DATABASE_REFUSED: ({ host, reason }: { host: string; reason: string }) =>
    `The database at ${host} refuses: ${reason}. Correct sequencer.database.url, or what its user may do.`,
  DATABASE_REQUIRED: ({ node, file }: { node: string; file: string }) =>
    `The store ${file} belongs to the log of ${node} in a database, and without it another process may be the same node. Add sequencer.database to the configuration, or use another --data-dir.`,
  DATABASE_SCHEMA_INVALID: ({ reason }: { reason: string }) => reason,
  DATABASE_TURN_UNKNOWN: ({
    node,
    turn,
    first,
    last,
  }: {
    node: string;
    turn: number;
    first: number | undefined;
    last: number;
  }) =>
    `--from ${turn}: the log of ${node} does not have this turn. ${first === undefined ? `It ends with turn ${last}, and all turns were trimmed: they are in its snapshot. Leave --from out.` : `Give a turn from ${first} to ${last}.`}`,
  DATABASE_UNREACHABLE: ({ host, reason }: { host: string; reason: string }) =>
    `The database at ${host} does not answer: ${reason}. Start it, or correct sequencer.database.url.`,
  DATABASE_UNSUITABLE: ({ reason }: { reason: string }) => reason,
  DATABASE_URL_INVALID: () =>
    "sequencer.database.url (not shown: it may have a password in it) is not the address of a PostgreSQL database. Give one as in postgres://user:password@db.example/sequencer?sslmode=verify-full.",
  DOMAIN_MODULE_INVALID: ({ path, reason }: { path: string; reason: string }) =>
    `--domain ${path} cannot be used: ${reason}. Give a module whose default export is a domain, or a DomainSimulation of hardhat-sequencer/simulation.`,
  DOMAIN_MISSING: ({ option }: { option: string }) =>
    `${option} is for a group with nodes. Add --domain, or leave ${option} out.`,
  EXTERNAL_CALLS_BY_DOMAIN: ({ domain }: { domain: string }) =>
    `The domain ${domain} decides whether its groups call public contracts. Leave --external-calls out, and see the domain's guide for the setting in --configuration.`,
  FACTORY_MISSING: ({ address, network }: Place) =>
    `The factory of groups is not on network "${network}" yet: there is no contract at ${address}. Deploy it once, for all nodes: npx hardhat sequencer:deploy --network ${network}.`,
  FACTORY_INVALID: ({ address, network }: Place) =>
    `The contract at sequencer.networks.${network}.factory, ${address}, is not a group factory: it does not answer implementation(). Correct the address, or remove it to use the factory that is the same on every chain.`,
  FACTORY_NOT_FOUND: ({ address, network }: Place) =>
    `There is no contract at sequencer.networks.${network}.factory, ${address}. Correct the address, or remove it to use the factory that is the same on every chain.`,
  FILE_NOT_WRITTEN: ({
    option,
    file,
    reason,
  }: {
    option: string;
    file: string;
    reason: string;
  }) =>
    `${option} ${file} cannot be written: ${reason}. Give a path that you can write to.`,
  FUNCTION_AMBIGUOUS: ({ name, known }: { name: string; known: string }) =>
    `"${name}" is the name of several functions. Give the types too:${known}`,
  FUNCTION_IS_NO_VIEW: ({ name }: { name: string }) =>
    `${name} changes states. Send it as an intent: group.send(), or npx hardhat sequencer:submit.`,
  FUNCTION_IS_VIEW: ({ name }: { name: string }) =>
    `${name} changes nothing. Ask a node for it: group.query(), or npx hardhat sequencer:call.`,
  CONTRACT_ARGUMENTS_INVALID: ({
    name,
    problems,
  }: {
    name: string;
    problems: string;
  }) =>
    `${name} does not take these arguments: ${problems}. Give them as a list, in this order.`,
  CONTRACT_FUNCTION_UNKNOWN: ({
    name,
    known,
  }: {
    name: string;
    known: string;
  }) => `The contract has no function "${name}". It has: ${known}.`,
  FUNCTION_UNKNOWN: ({
    name,
    domain,
    known,
  }: {
    name: string;
    domain: string;
    known: string;
  }) =>
    `The domain "${domain}" has no function "${name}". Its functions are:${known}`,
  FUNCTION_MISSING: ({ domain, known }: { domain: string; known: string }) =>
    `--function is missing. Give one of the functions of the domain "${domain}":${known}`,
  FUNDS_INSUFFICIENT: ({
    address,
    network,
    have,
    need,
  }: Place & { have: bigint; need: bigint }) =>
    `${address} has ${ether(have)} on network "${network}" and needs ${ether(need)}. Send it the difference, or choose another account with --from; nothing was sent.`,
  FUNDS_MISSING: ({
    accounts,
    network,
  }: {
    accounts: string;
    network: string;
  }) =>
    `These accounts have nothing to pay with on network "${network}": ${accounts}. Send them some ether; nothing was sent.`,
  GROUP_AMBIGUOUS: ({
    group,
    url,
    known,
  }: {
    group: string;
    url: string;
    known: string;
  }) =>
    `The node at ${url} has several groups "${group}". Give the address of one with --group:${known}`,
  GROUP_DOMAIN_MISSING: () =>
    "--domain is missing. Give the domain of the group, as in --domain group-token.",
  GROUP_FILE_INVALID: ({ file, reason }: { file: string; reason: string }) =>
    `--file ${JSON.stringify(file)} cannot be used: ${reason}. Give a file with what npx hardhat sequencer:deploy --domain --json printed.`,
  GROUP_LEFT: ({ group, url }: { group: string; url: string }) =>
    `The node at ${url} does not follow the group ${group} any more. Ask a node that is a member, with --url.`,
  GROUP_MEMBERS_MISSING: () =>
    "--members is missing. Give the names of the nodes of the group, as in --members alice,bob,carol.",
  GROUP_MISSING: ({ url, known }: { url: string; known: string }) =>
    `The node at ${url} is in several groups. Give the name or the address of one with --group:${known}`,
  GROUP_NONE: ({ url }: { url: string }) =>
    `The node at ${url} is in no group. Create one with npx hardhat sequencer:group create, or ask another node with --url.`,
  GROUP_PENDING: ({
    group,
    transaction,
  }: {
    group: string;
    transaction: string;
  }) =>
    `The group "${group}" is still being created. Wait for it: npx hardhat sequencer:receipt ${transaction}.`,
  GROUP_NAME_INVALID: ({ value }: { value: string }) =>
    `--name "${value}" cannot be used. Give a letter followed by letters, digits, "_" or "-".`,
  GROUP_NAME_TAKEN: ({ name, network, address }: Place & { name: string }) =>
    `The group "${name}" of network "${network}" is another one in your configuration: ${address}. Choose another --name.`,
  GROUP_NOT_CONFIGURED: ({
    name,
    network,
    known,
  }: {
    name: string;
    network: string;
    known: string;
  }) =>
    `sequencer.networks.${network}.groups has no group "${name}"; its groups are: ${known}. Correct --name or --network, or give the description with --file.`,
  GROUP_NOT_DESCRIBED: ({
    place,
    address,
  }: {
    place: string;
    address: string;
  }) =>
    `${place} is only an address, ${address}, and nodes must know more of a group. Create it with npx hardhat sequencer:deploy --domain, which prints a description.`,
  GROUP_NOT_JOINED: ({
    name,
    network,
    reason,
  }: {
    name: string;
    network: string;
    reason: string;
  }) =>
    `This node does not take part in the group sequencer.networks.${network}.groups.${name}. ${reason}`,
  GROUP_REFUSED: ({ domain, reason }: { domain: string; reason: string }) =>
    `The domain ${domain} refuses the group: ${reason} Correct --members or --configuration.`,
  GROUP_UNKNOWN: ({
    group,
    url,
    known,
  }: {
    group: string;
    url: string;
    known: string;
  }) =>
    `The node at ${url} has no group with the name, id or address "${group}". Its groups are:${known}`,
  IDENTITY_MISSING: ({
    node,
    directory,
    dataDir,
  }: {
    node: string;
    directory: string;
    dataDir: string;
  }) =>
    `${node} has no identity in ${directory}. Correct --data-dir, or make an identity with: npx hardhat sequencer:identity --name ${node} --data-dir ${dataDir}`,
  INTENTS_MISSING: ({ option }: { option: string }) =>
    `${option} is for a workload. Add --intents with the number of intents, or leave ${option} out.`,
  INTENT_ID_INVALID: ({ value }: { value: string }) =>
    `"${value}" is not the id of an intent. Give what group.send() gave, or its id.`,
  INTENT_GONE: ({ id, node }: { id: string; node: string }) =>
    `Intent ${id} of ${node} was sent after the snapshot to which the chain and the nodes went back, so it is gone. Send it again.`,
  INTENT_REVERTED: ({
    id,
    node,
    reason,
  }: {
    id: string;
    node: string;
    reason: string;
  }) =>
    `The intent ${id} of ${node} reverted: ${reason} Use receipt() where that is expected.`,
  KEYS_MISSING: ({ network, count }: { network: string; count: number }) =>
    `Network "${network}" has no keys in its configuration, and nodes must sign themselves. Give it ${count}: accounts: [configVariable("…"), …] or accounts: { mnemonic: configVariable("…") } in networks.${network}, and npx hardhat keystore set for the values.`,
  KEY_MISSING: ({
    node,
    role,
    address,
    network,
  }: Place & { node: string; role: "endorser" | "payer" }) =>
    `${node} ${role === "payer" ? "pays" : "endorses"} as ${address}, and no account of network "${network}" has that address. Add its key: accounts: [configVariable("…")] in networks.${network}, and npx hardhat keystore set for the value; or correct sequencer.peers.${node}.${role}.`,
  HOST_INVALID: ({ name, value }: { name: string; value: string }) =>
    `${name} "${value}" is not a host. Give an address or a name of this machine without a port, as in 0.0.0.0.`,
  HOST_REFUSED: ({
    node,
    purpose,
    host,
    option,
    reason,
  }: {
    node: string;
    purpose: string;
    host: string;
    option: string;
    reason: string;
  }) =>
    `${node} cannot listen on "${host}" for ${purpose}: ${reason}. Choose an address that this machine has with ${option}.`,
  LISTEN_INVALID: ({ value }: { value: string }) =>
    `--listen "${value}" is not a host and a port. Write host:port, as in 0.0.0.0:8650.`,
  LISTEN_MISSING: ({
    node,
    addresses,
  }: {
    node: string;
    addresses: readonly string[];
  }) =>
    `${node} has ${addresses.length} addresses in sequencer.peers, ${addresses.join(", ")}, one for each of its replicas, and nothing says which of them this process is. Give it --listen with its own, as in --listen ${addresses[0] ?? ""}.`,
  LISTEN_REFUSED: ({
    node,
    address,
    reason,
  }: {
    node: string;
    address: string;
    reason: string;
  }) =>
    `${node} cannot listen to other nodes on ${address}: ${reason}. Stop what uses it, or choose another with --listen.`,
  MASTER_FORCE_ALONE: () =>
    "--force is only for --set: it makes a replica active that is not healthy. Add --set and the name of a replica, or leave out --force.",
  MASTER_NOT_SET: ({ node, reason }: { node: string; reason: string }) =>
    `The active replica of ${node} was not changed: ${reason}. Look at npx hardhat sequencer:master --name ${node}, and at the lines of the supervisor.`,
  MASTER_UNSUPERVISED: ({ node }: { node: string }) =>
    `No supervisor of ${node} is on duty, so nobody can check the replica. Start one with npx hardhat sequencer:supervise --name ${node}, or use npx hardhat sequencer:replicas --promote, which checks less.`,
  MEMBERS_MISSING: ({ option }: { option: string }) =>
    `${option} is for a new group. Add --members with the addresses of its members, or leave ${option} out.`,
  MEMBERS_TOO_MANY: ({ count, max }: { count: number; max: number }) =>
    `A group has at most ${max} members, and --members has ${count}. Leave some out.`,
  MEMBER_DUPLICATE: ({ address }: { address: string }) =>
    `Member ${address} is there twice. Name every member once.`,
  MEMBER_NOT_A_PEER: ({
    value,
    known,
  }: {
    value: string;
    known: readonly string[];
  }) =>
    `"${value}" is not a node of sequencer.peers, and the members of a group with --domain are nodes. ${known.length === 0 ? "Add all nodes there, with the keys that npx hardhat sequencer:identity prints." : `Name one of ${known.join(", ")}, or add it to sequencer.peers.`}`,
  MEMBER_ZERO: () =>
    "The zero address cannot be a member, because nobody can sign for it. Remove it from --members.",
  NETWORK_UNREACHABLE: ({
    network,
    reason,
  }: {
    network: string;
    reason: string;
  }) =>
    `Network "${network}" does not answer: ${reason}. Start its node, or correct networks.${network}.url.`,
  NODE_FAILED: ({ node, reason }: { node: string; reason: string }) =>
    `${node} cannot go on: ${reason} What it accepted is on its disk: mend this and run again with the same --data-dir.`,
  NETWORK_TEMPORARY: ({ network }: { network: string }) =>
    `Network "${network}" ends with this process, and nodes in other processes cannot reach it. Run npx hardhat node, and choose its network with --network localhost.`,
  NODE_NAME_INVALID: ({ name }: { name: string }) =>
    `--name ${JSON.stringify(name)} is not the name of a node. Give up to 64 letters, digits, ".", "_" or "-", as in --name alice.`,
  NODE_NOT_MEMBER: ({
    name,
    group,
    members,
  }: {
    name: string;
    group: string;
    members: string;
  }) =>
    `"${name}" is not a member of the group ${group}. Its members are: ${members}.`,
  NODE_STOPPED: ({ node, reason }: { node: string; reason: string }) =>
    `${node} could not go on and has stopped: ${reason} What it accepted is on its disk: start it again with restart().`,
  NODE_UNKNOWN: ({ name, known }: { name: string; known: string }) =>
    `There is no node "${name}". There are: ${known}.`,
  NODE_REFUSED: ({
    url,
    method,
    reason,
  }: {
    url: string;
    method: string;
    reason: string;
  }) => `The node at ${url} refused ${method}: ${reason}`,
  NODE_UNREACHABLE: ({ url, reason }: { url: string; reason: string }) =>
    `No node answers at ${url}: ${reason}. Start nodes with npx hardhat sequencer:run, or give the address that it prints with --url.`,
  NO_ACCOUNTS: ({ network }: { network: string }) =>
    `Network "${network}" has no account to send from. Give it a key: accounts: [configVariable("…")] in networks.${network}, and npx hardhat keystore set for its value.`,
  NUMBER_INVALID: ({
    name,
    value,
    min,
    max,
  }: {
    name: string;
    value: string;
    min: number;
    max: number;
  }) =>
    `${name} "${value}" is out of range. Give a whole number from ${min} to ${max}.`,
  PEER_MISSING: ({ node, known }: { node: string; known: readonly string[] }) =>
    `${node} is not in sequencer.peers, which ${known.length === 0 ? "is empty" : `has ${known.join(", ")}`}. Add it at all nodes, with the key that npx hardhat sequencer:identity --name ${node} prints.`,
  PEER_KEY_OTHER: ({
    node,
    directory,
    configured,
    found,
  }: {
    node: string;
    directory: string;
    configured: string;
    found: string;
  }) =>
    `sequencer.peers.${node}.key is ${configured}, but the key in ${directory} is ${found}. Correct the configuration at all nodes, or use the --data-dir with the right key.`,
  PORT_IN_USE: ({ port, node, purpose, option }: Port) =>
    `Port ${port}, for ${purpose} of ${node}, is in use. Stop what uses it, or choose another with ${option}; 0 takes any that is free.`,
  PORT_REFUSED: ({
    port,
    node,
    purpose,
    option,
    reason,
  }: Port & { reason: string }) =>
    `Port ${port}, for ${purpose} of ${node}, cannot be opened: ${reason}. Choose another with ${option}; 0 takes any that is free.`,
  GROUP_GONE: ({ group }: { group: string }) =>
    `Group ${group} was created after the snapshot to which the chain and the nodes went back, so it is gone. Create it again, or take the snapshot after it is created.`,
  OPERATOR_PORT_WITHOUT_DATABASE: ({ port }: { port: number }) =>
    `--operator-port "${port}" is for replicas, and they need the database that they share. Add sequencer.database to hardhat.config.ts, or leave out --operator-port.`,
  OPERATOR_TOKEN_MISSING: ({ option }: { option: string }) =>
    `${option} can take the role away from a replica, so it needs a token, also on this machine. Add operatorToken: configVariable("…") to sequencer.servers, and npx hardhat keystore set for its value.`,
  OPTIONS_EXCLUSIVE: ({ first, second }: { first: string; second: string }) =>
    `${first} and ${second} exclude each other. Leave one of them out.`,
  OPTIONS_INVALID: ({ what, problems }: { what: string; problems: string }) =>
    `${what} cannot be called like this: ${problems}.`,
  PROXY_REFUSED: ({ network, reason }: { network: string; reason: string }) =>
    `Network "${network}" does not take the deterministic deployment proxy: ${reason}. Deploy a factory of your own with the Ignition module hardhat-sequencer/ignition, and name it in sequencer.networks.${network}.factory.`,
  REPLICA_FAILED: ({
    node,
    replica,
    reason,
  }: {
    node: string;
    replica: string;
    reason: string;
  }) => `The replica ${replica} of ${node} has stopped: ${reason}`,
  REPLICA_NAME_INVALID: ({
    option,
    value,
  }: {
    option: string;
    value: string;
  }) =>
    `${option} ${JSON.stringify(value)} is not the name of a replica. Use letters, digits, ".", "_" and "-", at most 64, beginning with a letter or digit; npx hardhat sequencer:replicas lists those that there are.`,
  REPLICA_WITHOUT_DATABASE: ({ replica }: { replica: string }) =>
    `--replica "${replica}" needs the database that all replicas of the node share. Add sequencer.database to hardhat.config.ts, or leave out --replica.`,
  REFUSED: ({ reason }: { reason: string }) => reason,
  REPLICA_KEYS_DIFFER: ({ reason }: { reason: string }) => reason,
  REPLICA_NOT_PROMOTED: ({ reason }: { reason: string }) => reason,
  REPLICA_NOT_READY: ({ reason }: { reason: string }) =>
    `${reason} Choose a passive replica that npx hardhat sequencer:replicas lists.`,
  REPLICA_OUTDATED: ({ reason }: { reason: string }) => reason,
  REORGANISATION_TOO_DEEP: ({ depth, max }: { depth: number; max: number }) =>
    `The last ${depth} blocks cannot be replaced: the chain can go back by ${max} blocks, to the creation of the last group. Make more blocks first, or give a smaller depth.`,
  REORGANISATION_TOO_HIGH: ({ block, head }: { block: number; head: number }) =>
    `There is no block ${block} to be replaced: the last one is ${head}.`,
  SALT_INVALID: ({ value }: { value: string }) =>
    `--salt "${value}" is neither 32 bytes nor a text. Give "0x" and 64 hexadecimal digits, or any text that does not start with "0x".`,
  SENDER_UNKNOWN: ({
    value,
    network,
    count,
  }: {
    value: string;
    network: string;
    count: number;
  }) =>
    `--from ${value} is not one of the ${count} accounts of network "${network}". Give the address of one of them, or an index from 0 to ${count - 1}.`,
  STORE_BELONGS_TO_LOG: ({ file }: { file: string }) =>
    `The store ${file} belongs to the log of a database already, so there is nothing to import. Start its replica, or give another --data-dir.`,
  STORE_MISSING: ({ file }: { file: string }) =>
    `There is no store ${file}. Correct --name or --data-dir: the store of a node is node.db in a folder with its name.`,
  STORE_NOT_IMPORTED: ({ reason }: { reason: string }) => reason,
  THRESHOLD_INVALID: ({ value, count }: { value: string; count: number }) =>
    `--threshold "${value}" does not fit a group of ${count}. Give a whole number from 1 to ${count}.`,
  SERVER_TOKEN_INVALID: ({ setting }: { setting: string }) =>
    `sequencer.servers.${setting} (not shown) must be at least 16 printable ASCII characters, without spaces at the ends. Use a random one, as from: openssl rand -hex 32.`,
  SERVER_TOKEN_MISSING: ({
    host,
    option,
    setting,
  }: {
    host: string;
    option: string;
    setting: string;
  }) =>
    `${option} "${host}" needs a token, because other machines reach it. Add ${setting}: configVariable("…") to sequencer.servers, and npx hardhat keystore set for its value; or leave ${option} out to listen on 127.0.0.1.`,
  SNAPSHOT_CLUSTER_STOPPED: () =>
    "The cluster that ran when the snapshot was taken has stopped, so its nodes cannot go back with the chain; nothing was changed. Leave it running until the connection is closed, or use another connection for tests that stop it.",
  SNAPSHOT_NOT_SIMULATED: ({ network }: { network: string }) =>
    `evm_revert would take the chain of network "${network}" back, but not the nodes that run on it; nothing was changed. Use a network of type "edr-simulated", or stop the nodes first: await connection.sequencer.cluster.stop().`,
  SNAPSHOT_RESTORED: ({ what }: { what: string }) =>
    `The chain and the nodes went back to a snapshot before ${what} was done, so it did not happen. Wait for it before you restore a snapshot.`,
  TRANSACTIONS_PENDING: ({
    address,
    count,
    seconds,
  }: {
    address: string;
    count: number;
    seconds: number;
  }) =>
    `${count} transactions of ${address} were still waiting after ${seconds} seconds. Let them be mined or replace them, then run again; nothing was sent.`,
  TOKEN_INVALID: ({ variable }: { variable: string }) =>
    `The environment variable ${variable} (not shown) must be the token of the node: at least 16 printable ASCII characters, without spaces at the ends.`,
  TRANSACTION_ID_INVALID: ({ value }: { value: string }) =>
    `"${value}" is not the id of a transaction. Give the id that npx hardhat sequencer:submit printed, as in 7a3c9e0e-4e5b-4f0e-9c56-0d1f5f6b8a11.`,
  TRANSACTION_UNKNOWN: ({ id, url }: { id: string; url: string }) =>
    `The node at ${url} knows no transaction ${id}. Ask the node that took it, with --url.`,
  TRANSACTION_REFUSED: ({
    step,
    network,
    reason,
  }: {
    step: string;
    network: string;
    reason: string;
  }) =>
    `Network "${network}" refused the transaction for the ${step}: ${reason}. Mend this and run again: what is done stays done.`,
  TRANSACTION_REVERTED: ({ step, tx }: { step: string; tx: string }) =>
    `The transaction for the ${step} was mined but failed: ${tx}. Look at it in a block explorer, then run again: what is done stays done.`,
  TRANSACTION_TIMEOUT: ({
    step,
    tx,
    seconds,
  }: {
    step: string;
    tx: string;
    seconds: number;
  }) =>
    `The transaction for the ${step} was not confirmed within ${seconds} seconds: ${tx}. Run again: it waits for that transaction and goes on from there.`,
  URL_INVALID: () =>
    "--url (not shown: it may have a password in it) is not an HTTP address. Give one that npx hardhat sequencer:run prints, as in http://127.0.0.1:8550.",
  VERIFY_FAILED: ({
    contracts,
    network,
  }: {
    contracts: string;
    network: string;
  }) =>
    `Everything is deployed, but the explorer of network "${network}" did not verify ${contracts}. Run again with --verify: what is done stays done.`,
  VERIFY_NOT_CONFIGURED: ({
    network,
    reason,
  }: {
    network: string;
    reason: string;
  }) =>
    `Network "${network}" cannot be verified: ${reason}. Set verify.etherscan.apiKey in hardhat.config.ts, or leave out --verify; nothing was sent.`,
  VERIFY_NOT_INSTALLED: ({ network }: { network: string }) =>
    `--verify on network "${network}" needs the plugin @nomicfoundation/hardhat-verify. Install it and add it to plugins in hardhat.config.ts, or leave out --verify; nothing was sent.`,
  VERIFY_OTHER_FACTORY: ({ address }: { address: string }) =>
    `The factory ${address} has other code than this version of hardhat-sequencer deploys, so its source is not known here. Leave out --verify; nothing was sent.`,
  WEB_SOCKET_URL_INVALID: ({ network }: { network: string }) =>
    `sequencer.networks.${network}.webSocketUrl (not shown) is not the address of a WebSocket. Give one that begins with "ws://" or "wss://".`,
} as const;

interface Port {
  readonly port: number;
  readonly node: string;
  readonly purpose: string;
  readonly option: string;
}

interface Place {
  readonly address: string;
  readonly network: string;
}

type Messages = typeof messages;

/** Stable name of a user error. */
export type SequencerErrorCode = keyof Messages;

/** An error on which the user can act. */
export class SequencerError<
  Code extends SequencerErrorCode = SequencerErrorCode,
> extends HardhatPluginError {
  readonly code: Code;

  constructor(
    code: Code,
    values: Parameters<Messages[Code]>[0],
    cause?: Error,
  ) {
    // The compiler cannot relate `values` to `code` again, although the signature did.
    const message = messages[code] as (values: unknown) => string;
    super("hardhat-sequencer", `${message(values)} [${code}]`, cause);
    this.code = code;
  }
}

/** Wei as ether, without the library that would have to be loaded for it. */
function ether(wei: bigint): string {
  const fraction = (wei % 10n ** 18n).toString().padStart(18, "0");
  return `${(wei / 10n ** 18n).toString()}.${fraction.replace(/0+$/, "") || "0"} ETH`;
}
