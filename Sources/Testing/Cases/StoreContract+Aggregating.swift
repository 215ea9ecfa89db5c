import ModelKitFields
import ModelKitModels
import ModelKitStores
import ModelKitEssentials

extension StoreContract {
    static let aggregating = counting + adding

    private static let counting: [Case] = [
        Case("models are counted by a condition, also through keys and other sides of keys") {
            run in
            let (store, entries) = (run.store, ContractEntry.self)
            try run.expect(await store.count(entries), 0, "the count of none")
            let (ledger, _) = try await run.createLedger(1, 2, 3, 4)
            try await store.create(ContractEntry("e5", 5))
            try run.expect(await store.count(entries), 5, "the count")
            try run.expect(await store.count(entries, where: \.amount > 3), 2, "the large ones")
            let named: Condition<ContractEntry> = .has(\.ledger, \.name == "Cash")
            try run.expect(await store.count(entries, where: named), 4, "those in cash")
            let members = try await store.count(ledger.entries, where: \.amount > 1)
            try run.expect(members, 3, "the count of large members")
        },
        Case("a class is counted with its subclasses") { run in
            try await run.store.create(ContractShape("s"))
            try await run.store.create(ContractCircle("c") { $0.radius.value = 2 })
            try run.expect(await run.store.count(ContractShape.self), 2, "the count of the class")
            try run.expect(await run.store.count(ContractCircle.self), 1, "that of the subclass")
        },
        Case("a live count follows what its condition asks of others", [.liveQueries]) { run in
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
    .map { $0.needing(.counts) }

    private static let adding: [Case] = [
        Case("sums and averages skip nil, and of no values are 0 and nil") { run in
            let (store, prices) = (run.store, ContractPrice.self)
            try run.expect(await store.sum(prices, of: \.amount), 0, "the sum of none")
            try run.expect(await store.average(prices, of: \.count), nil, "of none")
            try run.expect(await store.min(prices, of: \.day), nil, "of none")
            try run.expect(await store.max(prices, of: \.amount), nil, "of none")
            try await run.createPrices()
            let sum = try await store.sum(prices, of: \.amount)
            try run.expect("\(sum)", "20000000000000000000.75", "the sum of decimals")
            let mean = try await store.average(prices, of: \.amount)
            let digits = "6666666666666666666.9166666666666666667"
            try run.expect(mean.map { "\($0)" }, digits, "the average of decimals")
            try run.expect(await store.sum(prices, of: \.count), 60, "of integers")
            try run.expect(await store.average(prices, of: \.count), 20, "of integers")
            try run.expect(await store.sum(prices, of: \.small), 300, "of small ones")
            let wide = try await store.sum(prices, of: \.wide)
            try run.expect(wide, 10_000_000_000_000_000_007, "of unsigned integers")
            // 1 is lost where 1e100 is added to it without compensation.
            try run.expect(await store.sum(prices, of: \.weight), 1, "of doubles")
            let some = try await store.sum(prices, of: \.count, where: \.amount < 10)
            try run.expect(some, 50, "the sum where the amount is small")
        },
        Case("the least and the greatest value are those that lists are sorted by") { run in
            let (store, prices) = (run.store, ContractPrice.self)
            try await run.createPrices()
            try run.expect(await store.min(prices, of: \.amount), 0.25, "the least decimal")
            let greatest = try await store.max(prices, of: \.amount)
            try run.expect(greatest.map { "\($0)" }, "20000000000000000000", "the greatest")
            let wide = try await store.max(prices, of: \.wide)
            try run.expect(wide, 10_000_000_000_000_000_000, "the greatest unsigned integer")
            try run.expect(await store.max(prices, of: \.category), "tea", "the last text")
            let day = Date(timeIntervalSinceReferenceDate: 0)
            try run.expect(await store.min(prices, of: \.day), day, "the first day")
        },
        Case("groups have the models of equal values, and nil is one of its own") { run in
            let (store, prices) = (run.store, ContractPrice.self)
            try await run.createPrices()
            let counts = try await store.count(prices, by: \.category)
            try run.expect(counts, ["tea": 2, "rye": 1, nil: 1], "the counts")
            let sums = try await store.sum(prices, of: \.count, by: \.category)
            try run.expect(sums, ["tea": 30, "rye": 30, nil: 0], "the sums")
            let means = try await store.average(prices, of: \.count, by: \.category)
            try run.expect(means, ["tea": 15, "rye": 30, nil: nil], "the averages")
            let least = try await store.min(
                prices,
                of: \.amount,
                by: \.category,
                where: \.count > 10
            )
            .mapValues { "\($0 ?? -1)" }
            try run.expect(least, ["tea": "0.5", "rye": "0.25"], "least")
            let days = try await store.count(prices, by: \.day)
            let day = Date(timeIntervalSinceReferenceDate: 0)
            try run.expect(days, [day: 2, nil: 2], "the counts of days")
            let (ledger, _) = try await run.createLedger(5, 7)
            try await run.store.create(ContractEntry("e3", 1))
            let totals = try await store.sum(ContractEntry.self, of: \.amount, by: \.ledger)
            try run.expect(totals, ["a": 12, nil: 1], "the sums by a key")
            let total = try await store.sum(ledger.entries, of: \.amount, where: \.amount > 5)
            try run.expect(total, 7, "the sum of members")
        },
        Case("integers are exact in any order, and a sum out of range is an error") { run in
            let (store, prices) = (run.store, ContractPrice.self)
            let counts = [Int.max, 1, Int.max, -3, .min, .min]
            for (index, count) in counts.enumerated() {
                let price = ContractPrice("\(index)") { $0.count.value = count }
                if index < 2 { price.wide.value = .max }
                try await store.create(price)
            }
            try run.expect(await store.sum(prices, of: \.count), -4, "the sum")
            let two: Condition<ContractPrice> = .isIn(\.id, ["0", "2"])
            let mean = try await store.average(prices, of: \.count, where: two)
            try run.expect(mean, 0x1p63, "the average of what is beyond its range together")
            let beyond: Promise = store.sum(prices, of: \.count, where: \.count > 0)
            let error = try await run.failure(of: beyond)
            try run.expect(error.code, "unsupported", "the error of a sum that is out of range")
            try run.expect("\(error)".contains("count"), "\(error) must name the field")
            for (id, text) in [("x", "92345678901234567890123456789012345678"), ("y", "0.5")] {
                try await store.create(
                    ContractPrice(id) { $0.amount.value = Decimal(string: text) }
                )
            }
            // There are more digits than a decimal has.
            try await run.expect(code: "unsupported", from: store.sum(prices, of: \.amount))
            try await run.expect(code: "unsupported", from: store.sum(prices, of: \.wide))
        },
        Case("a class is added up with its subclasses, of which one may have no values") { run in
            let (store, shapes) = (run.store, ContractShape.self)
            for (shape, name, size) in [
                (ContractShape("s"), "one", nil), (ContractShape("t"), nil, nil),
                (ContractCircle("c"), "one", 0.5), (ContractCircle("d"), "two", 2.5),
                (ContractCircle("e"), "two", nil),
            ] as [(ContractShape, String?, Decimal?)] {
                (shape.name.value, shape.size.value) = (name, size)
                try await store.create(shape)
            }
            try run.expect(await store.sum(shapes, of: \.size), 3, "the sum")
            try run.expect(await store.average(shapes, of: \.size), 1.5, "the average")
            try run.expect(await store.min(shapes, of: \.size), 0.5, "the least")
            try run.expect(await store.max(shapes, of: \.size), 2.5, "the greatest")
            try run.expect(await store.max(shapes, of: \.name), "two", "the last name")
            let sums = try await store.sum(shapes, of: \.size, by: \.name)
            try run.expect(sums, ["one": 0.5, "two": 2.5, nil: 0], "the sums")
            let means = try await store.average(shapes, of: \.size, by: \.name)
            try run.expect(means, ["one": 0.5, "two": 2.5, nil: nil], "the averages")
            let least = try await store.min(shapes, of: \.size, by: \.name)
            try run.expect(least, ["one": 0.5, "two": 2.5, nil: nil], "the least by name")
            let counts = try await store.count(shapes, by: \.name)
            try run.expect(counts, ["one": 2, "two": 2, nil: 1], "the counts")
        },
        Case("what cannot be added up or compared is refused by name") { run in
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
        Case("a live sum follows the commits that change it", [.liveQueries]) { run in
            let (ledger, entries) = try await run.createLedger(1, 2)
            var sums = run.liveSum(of: ledger).makeAsyncIterator()
            try run.expect(await sums.next(), 3, "the first sum")
            entries[0].amount.value = 10
            try await run.store.update(entries[0])
            try run.expect(await sums.next(), 12, "the sum after an update")
            try await run.store.delete(entries[1])
            try run.expect(await sums.next(), 10, "the sum after a deletion")
            var counts = run.store.observe(count: ContractEntry.self).makeAsyncIterator()
            try run.expect(await counts.next(), 1, "the count")
        },
        Case("what changes nothing in a live sum delivers none", [.liveQueries]) { run in
            let (ledger, entries) = try await run.createLedger(1, 2)
            let log = ValueLog(run.liveSum(of: ledger))
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
    ]
    .map { $0.needing(.sums) }
}

private typealias ValueLog = ResultLog<Int>

extension ValueLog {
    fileprivate convenience init(_ live: LiveValue<Int>) {
        self.init()
        let task = Task { [weak self] in
            do {
                for try await value in live { self?.add(.success(value)) }
            } catch {
                self?.add(.failure(error))
            }
        }
        follow(task)
    }

    /// Waits for so many values, and demands that they are these.
    fileprivate func expect(_ values: [Int], _ run: ContractRun) async throws {
        try await wait(until: { $0.count >= values.count }, run) { "\($0)" }
        try run.expect(elements, values, "the values")
    }

    /// Cancels the iteration, which has to end without an error.
    fileprivate func end() async throws {
        task?.cancel()
        await task?.value
        _ = try elements
    }
}

extension ContractRun {
    /// What the entries of a ledger are worth together.
    fileprivate func liveSum(of ledger: ContractLedger) -> LiveValue<Int> {
        store.observe(sum: \.amount, of: ContractEntry.self, where: \.ledger == ledger)
    }

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
