import Foundation
import ModelKitFields
import ModelKitModels
import ModelKitSQL
import ModelKitStores
import TestSupport
import Testing

/// What live queries of a file that is shared make of what others do to it.
@Suite(.timeLimit(.minutes(10))) struct SQLiteOthersTests {
    private let directory: TemporaryDirectory
    private let path: String

    init() throws {
        directory = try TemporaryDirectory()
        path = directory.file()
    }

    private final class Entry: Model {
        let id = Field<Int>()
        let amount = Field<Int>()

        convenience init(_ id: Int) {
            self.init()
            (self.id.value, amount.value) = (id, 10)
        }
    }

    /// Who observes the file.
    enum Observer: CaseIterable {
        case writer, reader, skippingWriter, skippingReader
    }

    /// Opens the file with a copy of SQLite by which those who share it have a log, or none.
    private func open(
        _ access: SQLiteModelStore.Access = .readWrite,
        hasLog: Bool
    ) throws -> SQLiteModelStore {
        var functions = try SQLiteLibrary.system.functions
        if hasLog {
            functions.libversionNumber = { 3_051_003 }
        } else {
            functions.libversionNumber = { 3_051_002 }
        }
        return try SQLiteModelStore(
            path: path,
            access: access,
            sharing: .severalProcesses,
            library: SQLiteLibrary(functions: functions)
        )
    }

    private func open(_ observer: Observer, hasLog: Bool) throws -> any RecordModelStore {
        switch observer {
        case .writer: try open(hasLog: hasLog)
        case .reader: try open(.readOnly, hasLog: hasLog)
        case .skippingWriter: try open(hasLog: hasLog).skippingDamaged { _ in }
        case .skippingReader: try open(.readOnly, hasLog: hasLog).skippingDamaged { _ in }
        }
    }

    @Test(arguments: Observer.allCases, [true, false])
    func `what another store commits comes by itself`(
        _ observer: Observer,
        hasLog: Bool
    ) async throws {
        let other = try open(hasLog: hasLog)
        _ = try await other.create(Entry(1)).value
        let store = try open(observer, hasLog: hasLog)
        let list = store.observe(Entry.self, orderBy: .ascending(\.id)).makeAsyncIterator()
        let window = store.observe(Entry.self, orderBy: .descending(\.id), window: 0..<2)
            .makeAsyncIterator()
        let sums = store.observe(sum: \.amount, of: Entry.self).makeAsyncIterator()
        for count in 1...3 {
            if count > 1 { _ = try await other.create(Entry(count)).value }
            try await expect(list.next()?.models.map(\.id.value), equals: Array(1...count))
            try await expect(window.next()?.total, equals: count)
            try await expect(sums.next(), equals: count * 10)
        }
    }

    @Test func `who observes after a time in which nobody did sees what others commit`()
        async throws
    {
        let other = try open(hasLog: true)
        _ = try await other.create(Entry(1)).value
        let store = try open(hasLog: true)
        func observe(_ count: Int) async throws {
            let list = store.observe(Entry.self).makeAsyncIterator()
            try await expect(list.next()?.models.count, equals: count - 1)
            _ = try await other.create(Entry(count)).value
            try await expect(list.next()?.models.count, equals: count)
        }
        for count in 2...4 {
            try await observe(count)
            // Looking for others has ended by then.
            try await Task.sleep(for: .milliseconds(200))
        }
    }

    enum Loss: CaseIterable {
        case moved, replaced, overwritten
    }

    @Test(arguments: Observer.allCases, Loss.allCases)
    func `a file that is lost is one error, until it is there again`(
        _ observer: Observer,
        _ loss: Loss
    ) async throws {
        let hasLog = loss == .moved
        let first = try open(hasLog: hasLog)
        _ = try await first.create(Entry(1)).value
        try await first.close().value
        let store = try open(observer, hasLog: hasLog)
        let list = store.observe(Entry.self).makeAsyncIterator()
        let counts = store.observe(count: Entry.self).makeAsyncIterator()
        try await expect(list.next()?.models.count, equals: 1)
        try await expect(counts.next(), equals: 1)

        let kept = directory.file("kept.db")
        let content = try Data(contentsOf: URL(fileURLWithPath: path))
        switch loss {
        case .moved: expect(rename(path, kept), equals: 0)
        case .replaced:
            expect(rename(path, kept), equals: 0)
            try content.write(to: URL(fileURLWithPath: path))
        case .overwritten: try write(Data(repeating: 0x41, count: content.count))
        }
        let gone = StoreError.unavailable("\(path) was moved or removed", .notApplied)
        let errors = [
            await #expect(throws: StoreError.self) { _ = try await list.next() },
            await #expect(throws: StoreError.self) { _ = try await counts.next() },
        ]
        for error in errors {
            if loss == .overwritten {
                expect(error?.code, equals: "corrupt")
            } else {
                expect(error, equals: gone)
            }
        }
        // Meanwhile it is looked at several times, and nothing else is delivered.
        let back = Task { [path] in
            try await Task.sleep(for: .milliseconds(200))
            if loss == .overwritten { try write(content) } else { _ = rename(kept, path) }
        }
        try await expect(list.next()?.models.count, equals: 1)
        try await expect(counts.next(), equals: 1)
        try await back.value
    }

    /// Has the file hold something else; its first page last, by which it is a database.
    private func write(_ content: Data) throws {
        let file = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
        for (offset, part) in [(4096, content.dropFirst(4096)), (0, content.prefix(4096))] {
            try file.seek(toOffset: UInt64(offset))
            try file.write(contentsOf: part)
        }
        try file.close()
    }

    @Test(arguments: Observer.allCases)
    func `who begins to observe a file that is lost gets one error, too`(
        _ observer: Observer
    ) async throws {
        let first = try open(hasLog: true)
        _ = try await first.create(Entry(1)).value
        try await first.close().value
        let store = try open(observer, hasLog: true)
        let kept = directory.file("kept.db")
        expect(rename(path, kept), equals: 0)
        let list = store.observe(Entry.self).makeAsyncIterator()
        await #expect(throws: StoreError.unavailable("\(path) was moved or removed", .notApplied)) {
            _ = try await list.next()
        }
        let back = Task { [path] in
            try await Task.sleep(for: .milliseconds(200))
            _ = rename(kept, path)
        }
        try await expect(list.next()?.models.count, equals: 1)
        try await back.value
    }
}
