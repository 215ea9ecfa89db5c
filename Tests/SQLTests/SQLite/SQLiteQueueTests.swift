import Foundation
import ModelKitFields
import ModelKitSQL
import TestSupport
import Testing

@Suite struct SQLiteQueueTests {
    private struct Stop: Error {}

    private let directory: TemporaryDirectory
    private let path: String

    init() throws {
        directory = try TemporaryDirectory()
        path = directory.file()
    }

    private func makeQueue() throws -> SQLiteQueue {
        let queue = try SQLiteQueue(path: path)
        try queue.runNow {
            try $0.execute("CREATE TABLE IF NOT EXISTS counter (value INTEGER)")
            try $0.execute("INSERT INTO counter SELECT 0 WHERE NOT EXISTS (SELECT * FROM counter)")
        }
        return queue
    }

    @Sendable private static func increment(_ connection: SQLiteConnection) throws -> Int64 {
        try connection.transaction {
            try connection.execute("UPDATE counter SET value = value + 1")
            return try value(connection)
        }
    }

    @Sendable private static func value(_ connection: SQLiteConnection) throws -> Int64 {
        try connection.withStatement("SELECT value FROM counter") { select in
            try #require(try select.step())
            return select.int64(at: 0)
        }
    }

    @Test func `bodies of many tasks run one at a time`() async throws {
        let queue = try makeQueue()
        let seen = try await withThrowingTaskGroup(of: [Int64].self) { group in
            for _ in 0..<32 {
                group.addTask {
                    var seen: [Int64] = []
                    for _ in 0..<10 { seen.append(try await queue.run(Self.increment)) }
                    return seen
                }
            }
            return try await group.reduce(into: []) { $0 += $1 }
        }
        expect(seen.sorted(), equals: Array(1...320))
    }

    @Test func `two queues on one file wait for each other`() async throws {
        let queues = [try makeQueue(), try makeQueue()]
        try await withThrowingTaskGroup(of: Void.self) { group in
            for queue in queues {
                group.addTask {
                    for _ in 0..<25 { _ = try await queue.run(Self.increment) }
                }
            }
            try await group.waitForAll()
        }
        try await expect(queues[0].run(Self.value), equals: 50)
    }

    @Test func `bodies run in the order in which they were given`() throws {
        let queue = try makeQueue()
        let order = Order()
        for number in 0..<100 {
            queue.run { _ in order.append(number) }
        }
        try queue.runNow { _ in order.append(100) }
        expect(order.numbers, equals: Array(0...100))
    }

    @Test func `an error of the body is thrown to the thread`() throws {
        let queue = try makeQueue()
        #expect(throws: Stop.self) { try queue.runNow { _ in throw Stop() } }
    }

    @Test func `threads may wait for their bodies`() throws {
        let queue = try makeQueue()
        DispatchQueue.concurrentPerform(iterations: 16) { _ in
            #expect(throws: Never.self) { try queue.runNow(Self.increment) }
        }
        try expect(queue.runNow(Self.value), equals: 16)
    }

    @Test func `runNow inside a body of the same queue throws instead of waiting for itself`()
        throws
    {
        let (queue, other) = (try makeQueue(), try SQLiteQueue(path: ":memory:"))
        let error = #expect(throws: SQLiteError.self) {
            try queue.runNow { _ in try queue.runNow { _ in } }
        }
        expect(error?.kind, equals: .misuse)
        expect(error?.path, equals: path)
        try queue.runNow { _ in try other.runNow { try $0.execute("SELECT 1") } }
    }

    @Test func `an error at opening is thrown by the initialiser`() {
        let error = #expect(throws: SQLiteError.self) { try SQLiteQueue(path: directory.path) }
        expect(error?.kind, equals: .cantOpen)
    }

    @Test func `the file is closed by close, after what was given before`() throws {
        let queue = try makeQueue()
        expect(FileManager.default.fileExists(atPath: path + "-wal"))
        let closed = DispatchSemaphore(value: 0)
        queue.run { connection in
            expect(try? Self.increment(connection.get()), equals: 1)
        }
        queue.close { closed.signal() }
        closed.wait()
        expect(!FileManager.default.fileExists(atPath: path + "-wal"))
        let error = #expect(throws: SQLiteError.self) { try queue.runNow(Self.value) }
        expect(error?.description.hasPrefix("\(path): it is closed"), equals: true)
    }

    @Test func `the file is closed when the last reference is gone and the bodies have run`()
        throws
    {
        var functions = try SQLiteLibrary.system.functions
        functions.closeV2 = { handle in
            defer { if handle != nil { closedQueue.signal() } }
            return (try? SQLiteLibrary.system)?.functions.closeV2(handle) ?? 1
        }
        let order = Order()
        var queue: SQLiteQueue? = try SQLiteQueue(
            path: path,
            library: SQLiteLibrary(functions: functions)
        )
        for number in 0..<20 {
            queue?.run { connection in
                #expect(throws: Never.self) { try connection.get().execute("SELECT 1") }
                order.append(number)
            }
        }
        queue = nil
        closedQueue.wait()
        expect(order.numbers, equals: Array(0..<20))
        expect(!FileManager.default.fileExists(atPath: path + "-wal"))
    }
}

private let closedQueue = DispatchSemaphore(value: 0)

private final class Order: Sendable {
    private let lock = Lock()
    nonisolated(unsafe) private var list: [Int] = []  // Safe: only touched under the lock.

    func append(_ number: Int) { lock.withLock { list.append(number) } }
    var numbers: [Int] { lock.withLock { list } }
}
