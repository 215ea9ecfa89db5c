import ModelKitPostgreSQL

/// What the program is asked for.
enum Command: Equatable {
    case help
    case version
    case importing(file: String)
    case list(state: String?, limit: Int?)
    case show(identifier: String)
    case edit(identifier: String, changes: [Change])
    case export(offices: Bool)
    case schema(offices: Bool)
    case delete(identifier: String)
    case sync(server: String, winner: Side?)
    case move(target: String)

    struct Change: Equatable {
        let key: String
        let value: String
    }
}

/// A command with the database it works on.
struct Invocation: Equatable {
    var command: Command
    var database = "contacts.db"
    /// How a server is reached.
    var mode = PostgreSQLMode.direct

    static let version = "1.0"

    static let usage = """
        USAGE
          contacts import FILE            store people or offices from a JSON file; - is the input
          contacts list [--state OH] [--limit N]
          contacts show ID                everything about a person or an office
          contacts edit ID KEY=VALUE …    change fields; an empty value clears one
          contacts delete ID              remove an office, or a person with all offices
          contacts sync URL               send what was changed here since the last time, and fetch
                                          what was changed there
            --mine, --theirs              whose changes count where both have changed the same
          contacts move --from DB --to DB put people and offices into a PostgreSQL database as they are, or go
                                          on with that
          contacts export [--offices]     write people or offices as JSON
          contacts schema [--offices]     write what a record may be as a JSON Schema
          contacts --help, contacts --version

        OPTIONS
          --db FILE     the database; contacts.db if it is not said; postgres://… or dbname=… is one of a
                        PostgreSQL server, whose password PGPASSWORD or ~/.pgpass has
          --mode MODE   how that server is reached, and that of --to: direct; pooled, behind pgbouncer; portable

        EXIT STATUS
          0 if all was done, 1 if something was refused, 2 if the command or a file cannot be read
        """

    /// The options that have a value.
    private static let valued: Set<String> = [
        "--db", "--mode", "--state", "--limit", "--from", "--to",
    ]

    /// Reads the arguments, without the name of the program.
    init(arguments: [String]) throws(Failure) {
        var words: [String] = []
        var options: [String: String] = [:]
        var flags: Set<String> = []
        var rest = arguments[...]
        var optionsEnded = false
        while var argument = rest.popFirst() {
            if optionsEnded || !argument.hasPrefix("-") || argument == "-" {
                words.append(argument)
                continue
            }
            // --db=FILE is --db FILE.
            if argument.hasPrefix("--"), let sign = argument.firstIndex(of: "=") {
                let value = argument[argument.index(after: sign)...]
                argument = String(argument[..<sign])
                guard Self.valued.contains(argument) else {
                    throw .usage("\(argument) takes no value")
                }
                options[argument] = String(value)
                continue
            }
            switch argument {
            case "--": optionsEnded = true
            case "--help", "-h":
                command = .help
                return
            case "--version":
                command = .version
                return
            case "--offices", "--mine", "--theirs": flags.insert(argument)
            case _ where Self.valued.contains(argument):
                guard let value = rest.popFirst() else {
                    throw .usage("\(argument) needs a value")
                }
                options[argument] = value
            default: throw .usage("there is no option \(argument)")
            }
        }
        let named = options.removeValue(forKey: "--db")
        database = named ?? database
        if database.isEmpty { throw .usage("--db needs the name of a file") }
        let name = words.first
        let operands = Array(words.dropFirst())
        func only(_ what: String) throws(Failure) -> String {
            guard let operand = operands.first else { throw .usage("\(words[0]) needs \(what)") }
            if operands.count > 1 { throw .usage("\(words[0]) takes one \(what)") }
            return operand
        }
        func none() throws(Failure) {
            if let extra = operands.first { throw .usage("\(words[0]) takes no \"\(extra)\"") }
        }
        switch name {
        case nil: throw .usage("say what to do")
        case "help": command = .help
        case "import": command = .importing(file: try only("FILE"))
        case "list":
            try none()
            var limit: Int?
            if let text = options.removeValue(forKey: "--limit") {
                guard let number = Int(text), number >= 0 else {
                    throw .usage("--limit takes a number, not \"\(text)\"")
                }
                limit = number
            }
            command = .list(state: options.removeValue(forKey: "--state"), limit: limit)
        case "show": command = .show(identifier: try only("ID"))
        case "edit":
            guard let identifier = operands.first, operands.count > 1 else {
                throw .usage("edit takes an ID and at least one KEY=VALUE")
            }
            var changes: [Command.Change] = []
            for word in operands.dropFirst() {
                guard let sign = word.firstIndex(of: "="), sign != word.startIndex else {
                    throw .usage("\"\(word)\" is not KEY=VALUE")
                }
                let value = String(word[word.index(after: sign)...])
                changes.append(Command.Change(key: String(word[..<sign]), value: value))
            }
            command = .edit(identifier: identifier, changes: changes)
        case "export":
            try none()
            command = .export(offices: flags.remove("--offices") != nil)
        case "delete": command = .delete(identifier: try only("ID"))
        case "sync":
            let server = try only("URL")
            let winner: Side? =
                flags.remove("--mine") != nil
                ? .here : flags.remove("--theirs") != nil ? .there : nil
            command = .sync(server: server, winner: winner)
        case "move":
            try none()
            guard let from = options.removeValue(forKey: "--from"), !from.isEmpty,
                let target = options.removeValue(forKey: "--to"), !target.isEmpty
            else { throw .usage("move needs --from DB and --to DB") }
            if !Self.isOnServer(target) {
                throw .usage("move takes a PostgreSQL database as --to, not \"\(target)\"")
            }
            if named != nil { throw .usage("move takes --from and --to, and no --db") }
            database = from
            command = .move(target: target)
        case "schema":
            try none()
            command = .schema(offices: flags.remove("--offices") != nil)
        case let name?: throw .usage("there is no command \"\(name)\"")
        }
        if let text = options.removeValue(forKey: "--mode") {
            var isServed = isOnServer
            if case .move = command { isServed = true }
            guard isServed, let mode = PostgreSQLMode(rawValue: text) else {
                let modes = PostgreSQLMode.allCases.map(\.rawValue).joined(separator: ", ")
                throw .usage("--mode takes one of \(modes), and a server as --db")
            }
            self.mode = mode
        }
        if let option = options.keys.sorted().first ?? flags.first {
            throw .usage("\(name ?? "") takes no \(option)")
        }
    }
}
