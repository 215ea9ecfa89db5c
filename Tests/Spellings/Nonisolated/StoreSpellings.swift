// Every form of using a store: in async code with the result or without it, and by promises.
import ModelKit
import Testing

/// A model with a field that is called as the property of a promise.
final class Reading: Model {
    let id = Field<Int>()
    let value = Field<Int>()
    let sensor = ModelField<Sensor>(foreignKey: true)

    init() { linkFields() }

    convenience init(_ id: Int, _ value: Int) {
        self.init()
        self.id.value = id
        self.value.value = value
    }
}

final class Sensor: Model {
    let id = Field<Int>()
    let readings = ModelField<Reading>(inverse: \.sensor)*

    init() { linkFields() }
}

final class ReadingScreen {
    let store = MemoryModelStore()

    func write(_ reading: Reading, _ sensor: Sensor) async throws {
        try await store.create(reading)
        try await store.update(reading)
        try await store.save(reading)
        try await store.save(reading, onConflict: .merge)
        try await store.update(reading, onConflict: .theirs)
        try await store.save([reading])
        try await store.update([reading])
        try await store.save(sensor, including: \.readings)
        try await store.update(sensor, including: \.readings)
        try await store.perform([.update(reading)])
        _ = try await store.transaction { try $0.update(reading) }.value
        let agreement = try await store.agreement(of: reading)
        _ = try? await store.resume(reading, from: agreement)
        try await store.delete(reading)
        try await store.create([reading])
        try await store.delete(Reading.self, identifier: 1)
    }

    func read(_ sensor: Sensor) async throws -> [Int] {
        let one = try await store.lookup(Reading.self, identifier: 1)
        let large = try await store.list(Reading.self, where: \.value > 1, limit: 5)
        let page = try await store.page(Reading.self, orderBy: .ascending(\.value), limit: 5)
        let with = try await store.list(Sensor.self, including: \.readings)
        try await store.load(sensor, \.readings)
        let some = try await store.list(sensor.readings, where: \.value > 1)
        let count = try await store.count(sensor.readings)
        return [one.value.value ?? 0, large.count, page.items.count, with.count, some.count, count]
    }

    func count(_ sensor: Sensor) async throws -> [Int] {
        let count = try await store.count(Reading.self, where: \.value > 1)
        let sum = try await store.sum(Reading.self, of: \.value)
        let promised = try await store.sum(sensor.readings, of: \.value, where: \.value > 1).value
        let mean = try await store.average(sensor.readings, of: \.value)
        let least = try await store.min(Reading.self, of: \.value, by: \.id)
        let sums = try await store.sum(Reading.self, of: \.value, by: \.sensor)
        for try await sum in store.observe(sum: \.value, of: Reading.self) { return [sum] }
        let live = store.observe(count: Reading.self, by: \.value)
        for try await counts in live { return counts.values.map { $0 } }
        return [count, sum, promised, Int(mean ?? 0), least.count, sums[1] ?? 0]
    }

    /// A promise is asked for by its type, or by what is done with it.
    func promise(_ reading: Reading) async throws -> Int {
        let creation: Promise = store.create(reading)
        let all: [Promise] = [store.update(reading), store.update(reading)]
        store.update(reading).then { .value($0) }.catch { _ in }
        store.update(reading).catch { _ in }
        let numbers = store.list(Reading.self).map(\.count)
        _ = try await creation.value
        for promise in all { _ = try await promise.value }
        return try await numbers.value
    }

    /// Of a model without a field of that name, `value` is that of the promise.
    func values(_ sensor: Sensor) async throws -> Sensor {
        _ = try await store.create(sensor).value
        let list = try await store.list(Sensor.self).value
        return list.first ?? sensor
    }

    /// Outside of async code there are promises alone.
    func begin(_ reading: Reading) -> Promise<Reading> {
        store.create(reading).catch { _ in }
        let update = store.update(reading)
        return update
    }
}

@MainActor final class MainReadingScreen {
    let store = MemoryModelStore()
    var text = ""

    func show(_ reading: Reading) async throws {
        try await store.save(reading)
        text = "\(try await store.list(Reading.self, where: \.value > 1).count)"
        let update: Promise = store.update(reading)
        update.onMain.observe { _ in self.text = "updated" }
    }

    static func shown(_ reading: Reading) async throws -> String {
        let screen = MainReadingScreen()
        try await screen.show(reading)
        return screen.text
    }
}

@Suite struct StoreSpellings {
    @Test func `stores are used with and without promises`() async throws {
        let screen = ReadingScreen()
        let (reading, sensor) = (Reading(1, 2), Sensor())
        sensor.id.value = 1
        reading.sensor.value = sensor
        try await screen.write(reading, sensor)
        #expect(try await screen.store.list(Reading.self).isEmpty)
        let again = Reading(1, 3)
        again.sensor.value = sensor
        #expect(try await screen.begin(again).value.value.value == 3)
        #expect(try await screen.read(sensor) == [3, 1, 1, 1, 1, 1])
        #expect(try await screen.promise(Reading(2, 4)) == 2)
        #expect(try await screen.values(Sensor()) === sensor)
        let text = try await MainReadingScreen.shown(Reading(5, 6))
        #expect(["1", "updated"].contains(text))
    }
}
