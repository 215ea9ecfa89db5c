import ModelKitFields
import ModelKitModels
import ModelKitStores
import ModelKitEssentials

extension StoreContract {
    static let aggregating: [Case] = [
        Case(
            "models are counted by a condition, also through keys and other sides of keys",
            [.counts]
        ) { run in
            try run.expect(await run.store.count(ContractEntry.self), 0, "the count of none")
            let (ledger, _) = try await run.createLedger(1, 2, 3, 4)
            try await run.store.create(ContractEntry("e5", 5))
            try run.expect(await run.store.count(ContractEntry.self), 5, "the count")
            let large = try await run.store.count(ContractEntry.self, where: \.amount > 3)
            try run.expect(large, 2, "the count of the large ones")
            let named: Condition<ContractEntry> = .has(\.ledger, \.name == "Cash")
            let ofCash = try await run.store.count(ContractEntry.self, where: named)
            try run.expect(ofCash, 4, "the count of those in cash")
            let members = try await run.store.count(ledger.entries, where: \.amount > 1)
            try run.expect(members, 3, "the count of large members")
        },
        Case("sums and averages skip nil, and of no values are 0 and nil", [.sums]) { run in
            let store = run.store
            let none = try await store.sum(ContractPrice.self, of: \.amount)
            try run.expect(none, 0, "the sum of none")
            try run.expect(await store.average(ContractPrice.self, of: \.count), nil, "of none")
            try run.expect(await store.min(ContractPrice.self, of: \.day), nil, "of none")
            try run.expect(await store.max(ContractPrice.self, of: \.amount), nil, "of none")
            try await run.createPrices()
            let sum = try await store.sum(ContractPrice.self, of: \.amount)
            try run.expect("\(sum)", "20000000000000000000.75", "the sum of decimals")
            let mean = try await store.average(ContractPrice.self, of: \.amount)
            let digits = "6666666666666666666.9166666666666666667"
            try run.expect(mean.map { "\($0)" }, digits, "the average of decimals")
            try run.expect(await store.sum(ContractPrice.self, of: \.count), 60, "of integers")
            try run.expect(await store.average(ContractPrice.self, of: \.count), 20, "of integers")
            try run.expect(await store.sum(ContractPrice.self, of: \.small), 300, "of small ones")
            let wide = try await store.sum(ContractPrice.self, of: \.wide)
            try run.expect(wide, 10_000_000_000_000_000_007, "of unsigned integers")
            // 1 is lost where 1e100 is added to it without compensation.
            try run.expect(await store.sum(ContractPrice.self, of: \.weight), 1, "of doubles")
            let some = try await store.sum(
                ContractPrice.self,
                of: \.count,
                where: \.amount < 10
            )
            try run.expect(some, 50, "the sum where the amount is small")
        },
        Case("the least and the greatest value are those that lists are sorted by", [.sums]) {
            run in
            let store = run.store
            try await run.createPrices()
            let least = try await store.min(ContractPrice.self, of: \.amount)
            try run.expect(least, 0.25, "the least decimal")
            let greatest = try await store.max(ContractPrice.self, of: \.amount)
            try run.expect(greatest.map { "\($0)" }, "20000000000000000000", "the greatest")
            let wide = try await store.max(ContractPrice.self, of: \.wide)
            try run.expect(wide, 10_000_000_000_000_000_000, "the greatest unsigned integer")
            let text = try await store.max(ContractPrice.self, of: \.category)
            try run.expect(text, "tea", "the last text")
            let day = try await store.min(ContractPrice.self, of: \.day)
            try run.expect(day, Date(timeIntervalSinceReferenceDate: 0), "the first day")
        },
        Case("groups have the models of equal values, and nil is one of its own", [.sums]) { run in
            let store = run.store
            try await run.createPrices()
            let counts = try await store.count(ContractPrice.self, by: \.category)
            try run.expect(counts, ["tea": 2, "rye": 1, nil: 1], "the counts")
            let sums = try await store.sum(ContractPrice.self, of: \.count, by: \.category)
            try run.expect(sums, ["tea": 30, "rye": 30, nil: 0], "the sums")
            let means = try await store.average(ContractPrice.self, of: \.count, by: \.category)
            try run.expect(means, ["tea": 15, "rye": 30, nil: nil], "the averages")
            let first = try await store.min(
                ContractPrice.self,
                of: \.amount,
                by: \.category,
                where: \.count > 10
            )
            try run.expect(
                first.mapValues { "\($0 ?? -1)" },
                ["tea": "0.5", "rye": "0.25"],
                "least"
            )
            let days = try await store.count(ContractPrice.self, by: \.day)
            let day = Date(timeIntervalSinceReferenceDate: 0)
            try run.expect(days, [day: 2, nil: 2], "the counts of days")
            let (ledger, _) = try await run.createLedger(5, 7)
            try await run.store.create(ContractEntry("e3", 1))
            let totals = try await store.sum(ContractEntry.self, of: \.amount, by: \.ledger)
            try run.expect(totals, ["a": 12, nil: 1], "the sums by a key")
            let total = try await store.sum(ledger.entries, of: \.amount, where: \.amount > 5)
            try run.expect(total, 7, "the sum of members")
        },
        Case("integers are exact in any order, and a sum out of range is an error", [.sums]) {
            run in
            let counts = [Int.max, 1, Int.max, -3, .min, .min]
            for (index, count) in counts.enumerated() {
                let price = ContractPrice("\(index)") { $0.count.value = count }
                if index < 2 { price.wide.value = .max }
                try await run.store.create(price)
            }
            let sum = try await run.store.sum(ContractPrice.self, of: \.count)
            try run.expect(sum, -4, "the sum")
            let mean = try await run.store.average(
                ContractPrice.self,
                of: \.count,
                where: .isIn(\.id, ["0", "2"])
            )
            try run.expect(mean, 0x1p63, "the average of what is beyond its range together")
            let beyond: Promise = run.store.sum(
                ContractPrice.self,
                of: \.count,
                where: \.count > 0
            )
            let error = try await run.failure(of: beyond)
            try run.expect(error.code, "unsupported", "the error of a sum that is out of range")
            try run.expect("\(error)".contains("count"), "\(error) must name the field")
            for (id, text) in [("x", "92345678901234567890123456789012345678"), ("y", "0.5")] {
                let price = ContractPrice(id) { $0.amount.value = Decimal(string: text) }
                try await run.store.create(price)
            }
            // There are more digits than a decimal has.
            let exact: Promise = run.store.sum(ContractPrice.self, of: \.amount)
            try await run.expect(code: "unsupported", from: exact)
            let wide: Promise = run.store.sum(ContractPrice.self, of: \.wide)
            try await run.expect(code: "unsupported", from: wide)
        },
        Case("a class is counted with its subclasses", [.counts]) { run in
            try await run.store.create(ContractShape("s"))
            try await run.store.create(ContractCircle("c") { $0.radius.value = 2 })
            try run.expect(await run.store.count(ContractShape.self), 2, "the count of the class")
            try run.expect(await run.store.count(ContractCircle.self), 1, "that of the subclass")
        },
        Case("a class is added up with its subclasses, of which one may have no values", [.sums]) {
            run in
            let store = run.store
            let shapes =
                [
                    (ContractShape("s"), "one", nil), (ContractShape("t"), nil, nil),
                    (ContractCircle("c"), "one", 0.5), (ContractCircle("d"), "two", 2.5),
                    (ContractCircle("e"), "two", nil),
                ] as [(ContractShape, String?, Decimal?)]
            for (shape, name, size) in shapes {
                (shape.name.value, shape.size.value) = (name, size)
                try await store.create(shape)
            }
            try run.expect(await store.sum(ContractShape.self, of: \.size), 3, "the sum")
            try run.expect(await store.average(ContractShape.self, of: \.size), 1.5, "the average")
            try run.expect(await store.min(ContractShape.self, of: \.size), 0.5, "the least")
            try run.expect(await store.max(ContractShape.self, of: \.size), 2.5, "the greatest")
            let last = try await store.max(ContractShape.self, of: \.name)
            try run.expect(last, "two", "the last name")
            let sums = try await store.sum(ContractShape.self, of: \.size, by: \.name)
            try run.expect(sums, ["one": 0.5, "two": 2.5, nil: 0], "the sums")
            let means = try await store.average(ContractShape.self, of: \.size, by: \.name)
            try run.expect(means, ["one": 0.5, "two": 2.5, nil: nil], "the averages")
            let least = try await store.min(ContractShape.self, of: \.size, by: \.name)
            try run.expect(least, ["one": 0.5, "two": 2.5, nil: nil], "the least by name")
            let counts = try await store.count(ContractShape.self, by: \.name)
            try run.expect(counts, ["one": 2, "two": 2, nil: 1], "the counts")
        },
        Case("what cannot be added up or compared is refused by name", [.sums]) { run in
            let store = try run.recordStore.records
            for (function, schema) in [
                (.sum("name"), ContractPerson.schema), (.average("extra"), ContractPerson.schema),
                (.minimum("tags"), ContractPerson.schema), (.sum("mixed"), ContractColor.schema),
            ] as [(RecordAggregate.Function, ModelSchema)] {
                let totals = store.totals(RecordAggregate(function), of: schema)
                try await run.expect(code: "unsupported", from: totals)
            }
            let unknown = store.totals(RecordAggregate(.sum("nothing")), of: ContractItem.schema)
            try await run.expect(code: "schema", from: unknown)
            let coded: Promise = run.store.sum(ContractColor.self, of: \.code)
            try await run.expect(code: "unsupported", from: coded)
        },
        Case("a live sum follows the commits that change it", [.liveQueries, .sums]) { run in
            let (ledger, entries) = try await run.createLedger(1, 2)
            let live = run.store.observe(
                sum: \.amount,
                of: ContractEntry.self,
                where: \.ledger == ledger
            )
            var sums = live.makeAsyncIterator()
            try run.expect(await sums.next(), 3, "the first sum")
            entries[0].amount.value = 10
            try await run.store.update(entries[0])
            try run.expect(await sums.next(), 12, "the sum after an update")
            try await run.store.delete(entries[1])
            try run.expect(await sums.next(), 10, "the sum after a deletion")
            var counts = run.store.observe(count: ContractEntry.self).makeAsyncIterator()
            try run.expect(await counts.next(), 1, "the count")
        },
        Case("what changes nothing in a live sum delivers none", [.liveQueries, .sums]) { run in
            let (ledger, entries) = try await run.createLedger(1, 2)
            let log = ValueLog(
                run.store.observe(
                    sum: \.amount,
                    of: ContractEntry.self,
                    where: \.ledger == ledger
                )
            )
            try await log.expect([3], run)
            // Of another type and of another ledger, with time for each to be delivered by itself.
            for model in [ContractItem(1), ContractEntry("x", 100)] as [any Model] {
                try await run.create([model])
                try await Task.sleep(for: .milliseconds(20))
            }
            entries[0].amount.value = 10
            try await run.store.update(entries[0])
            try await log.expect([3, 12], run)
            try await log.end()
        },
        Case("a live count follows what its condition asks of others", [.liveQueries, .counts]) {
            run in
            let (ledger, _) = try await run.createLedger(1, 2)
            let named: Condition<ContractEntry> = .has(\.ledger, \.name == "Cash")
            let log = ValueLog(run.store.observe(count: ContractEntry.self, where: named))
            try await log.expect([2], run)
            ledger.name.value = "Bank"
            try await run.store.update(ledger)
            try await log.expect([2, 0], run)
            try await log.end()
        },
    ]
}

/// The values of a live value, as they come.
private final class ValueLog: Sendable {
    private struct State {
        var values: [Int] = []
        var failure: (any Error)?
        var task: Task<Void, Never>?
    }

    private let state = Guarded(State())

    init(_ live: LiveValue<Int>) {
        let task = Task { [weak self] in
            do {
                for try await value in live { self?.state.withLock { $0.values.append(value) } }
            } catch {
                self?.state.withLock { $0.failure = error }
            }
        }
        state.withLock { $0.task = task }
    }

    deinit { state.withLock { $0.task }?.cancel() }

    /// Waits for so many values, and demands that they are these.
    func expect(_ values: [Int], _ run: ContractRun) async throws {
        // Long, as a machine may have other things to do.
        let end = ContinuousClock.now + .seconds(600)
        while true {
            let (found, failure) = state.withLock { ($0.values, $0.failure) }
            if let failure { throw failure }
            if found.count >= values.count || ContinuousClock.now > end {
                return try run.expect(found, values, "the values")
            }
            try await Task.sleep(for: .milliseconds(2))
        }
    }

    /// Cancels the iteration, which has to end without an error.
    func end() async throws {
        let task = state.withLock { $0.task }
        task?.cancel()
        await task?.value
        if let failure = state.withLock({ $0.failure }) { throw failure }
    }
}

extension ContractRun {
    /// Prices of which one has no values.
    fileprivate func createPrices() async throws {
        let first = Date(timeIntervalSinceReferenceDate: 0)
        try await store.create([
            ContractPrice("a") {
                ($0.amount.value, $0.count.value, $0.small.value) = (0.5, 20, 100)
                ($0.wide.value, $0.weight.value) = (10_000_000_000_000_000_000, 1)
                ($0.category.value, $0.day.value) = ("tea", first)
            },
            ContractPrice("b") {
                ($0.amount.value, $0.count.value) = (Decimal(string: "20000000000000000000"), 10)
                ($0.small.value, $0.wide.value, $0.weight.value) = (100, 7, 1e100)
                ($0.category.value, $0.day.value) = ("tea", first)
            },
            ContractPrice("c") {
                ($0.amount.value, $0.count.value, $0.small.value) = (0.25, 30, 100)
                ($0.weight.value, $0.category.value) = (-1e100, "rye")
            },
            ContractPrice("d"),
        ])
    }
}
