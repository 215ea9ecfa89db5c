import Foundation
import ModelKit

final class Account: Model {
    let id = Field<String>()
    let name = Field<String>().require(.notBlank).unique()
    let entries = ModelField<Entry>(inverse: \.account)*
    /// Nil while the entries are not loaded.
    let total: Computed<Decimal>

    init() {
        total = Computed { [entries] in
            (entries.value ?? []).reduce(0) { $0 + ($1.amount.value ?? 0) }
        }
        linkFields()
    }
}

final class Entry: Model {
    let id = Field<String>()
    let text = Field<String>().require(.notBlank)
    let amount = Field<Decimal>().require(.required)
    let account = ModelField<Account>(foreignKey: true)

    init() { linkFields() }
}

enum ExpensesStory {
    static func run(_ phase: String, _ arguments: [String]) async throws {
        guard let place = arguments.first else { throw Usage() }
        let rest = Array(arguments.dropFirst())
        let opened = try OpenedStore(place)
        let store = opened.store
        switch phase {
        case "add" where rest.count == 3: try await add(store, rest[0], rest[1], rest[2])
        case "watch": try await watch(store)
        case "totals":
            let accounts = try await store.list(Account.self, orderBy: .ascending(\.name)).value
            if accounts.contains(where: { $0.total.value != nil }) { say("a total of nothing") }
            _ = try await store.load(accounts, \.entries).value
            sayTotals(of: accounts)
        case "many":
            let account = try await find("Cash", in: store)
            for number in 0... {
                let entry = Entry()
                entry.id.value = "e\(number)"
                entry.text.value = "Coffee"
                entry.amount.value = Decimal(string: "0.1")
                entry.account.value = account
                _ = try await store.create(entry).value
                say("e\(number)")
            }
        case "rounds" where rest.count == 1: try await loadAndLetGo(store, Int(rest[0]) ?? 0)
        default: throw Usage()
        }
        try await opened.close()
    }

    /// Totals of many accounts, loaded and let go again and again: what nobody has is freed.
    private static func loadAndLetGo(_ store: any RecordModelStore, _ rounds: Int) async throws {
        for number in 0..<1_000 {
            let account = Account()
            account.name.value = "Account \(number)"
            for amount in 1...20 {
                let entry = Entry()
                (entry.text.value, entry.amount.value) = ("Coffee", Decimal(amount))
                account.entries.append(entry)
            }
            try await store.create(account, including: \.entries)
        }
        // How many connections read at once is chance, and each of them keeps pages: all of them do from the first.
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 1...16 { group.addTask { _ = try await store.list(Entry.self).value } }
            try await group.waitForAll()
        }
        var sizes: [Int] = []
        for round in 1...rounds {
            let accounts = try await store.list(Account.self)
            let sum = try await store.load(accounts, \.entries) {
                accounts.reduce(0) { $0 + ($1.total.value ?? 0) }
            }
            guard sum == 210_000 else { return say("the sum is \(sum)") }
            let entries = try await store.list(Entry.self)
            guard entries.count == 20_000 else { return say("\(entries.count) entries") }
            if round == 10 || round == rounds { sizes.append(residentPages()) }
        }
        say(sizes.map(String.init).joined(separator: " "))
    }

    /// How many pages of memory the process has.
    ///
    /// What is freed is given back to the system before, as far as the C library can: how much of it would stay
    /// is chance.
    private static func residentPages() -> Int {
        if let symbol = dlsym(nil, "malloc_trim") {
            _ = unsafeBitCast(symbol, to: (@convention(c) (Int) -> CInt).self)(0)
        }
        let status = try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8)
        return status?.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
    }

    private static func sayTotals(of accounts: [Account]) {
        for account in accounts {
            let total = account.total.value.map { "\($0)" } ?? "not loaded"
            say("\(account.name.value ?? ""): \(total)")
        }
    }

    private static func find(_ name: String, in store: any RecordModelStore) async throws -> Account
    {
        let found = try await store.list(Account.self, where: \.name == name, limit: 1).value
        if let account = found.first { return account }
        let account = Account()
        account.name.value = name
        return try await store.create(account).value
    }

    private static func add(
        _ store: any RecordModelStore,
        _ name: String,
        _ text: String,
        _ amount: String
    ) async throws {
        let entry = Entry()
        entry.text.value = text
        entry.amount.value = Decimal(string: amount)
        entry.account.value = try await find(name, in: store)
        _ = try await store.create(entry).value
    }

    /// A window of totals, while the user adds, edits, moves and deletes entries.
    private static func watch(_ store: any RecordModelStore) async throws {
        let (cash, bank) = (try await find("Cash", in: store), try await find("Bank", in: store))
        _ = try await store.load([cash, bank], \.entries).value
        let accounts = [bank, cash]
        sayTotals(of: accounts)
        try await add(store, "Cash", "Bread", "2.5")
        sayTotals(of: accounts)
        let bread = try await store.list(cash.entries, where: \.text == "Bread").value[0]
        bread.amount.value = 3
        _ = try await store.update(bread).value
        sayTotals(of: accounts)
        bread.account.value = bank
        _ = try await store.update(bread).value
        sayTotals(of: accounts)
        _ = try await store.delete(bread).value
        sayTotals(of: accounts)
    }
}
