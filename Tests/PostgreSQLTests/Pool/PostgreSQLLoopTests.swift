import Dispatch
import Foundation
import TestSupport
import Testing

@testable import ModelKitPostgreSQL

/// Who waits for an answer on one of several connections, which are pipes here.
@Suite struct PostgreSQLLoopTests {
    /// A pipe whose bytes are the answer, which is whole with a full stop.
    private final class Connection: Sendable {
        let number: UInt64
        private let ends: (reading: Int32, writing: Int32)
        private let isOpen = Guarded(true)

        init(_ number: UInt64) {
            var ends: [Int32] = [-1, -1]
            _ = pipe(&ends)
            _ = fcntl(ends[0], F_SETFL, O_NONBLOCK)
            (self.number, self.ends) = (number, (ends[0], ends[1]))
        }

        deinit {
            end()
            close(ends.reading)
        }

        /// Ends what is sent.
        func end() {
            let isOpen = isOpen.withLock { isOpen in
                defer { isOpen = false }
                return isOpen
            }
            if isOpen { close(ends.writing) }
        }

        func send(_ text: String) { _ = text.withCString { write(ends.writing, $0, strlen($0)) } }

        func wait(
            until deadline: ContinuousClock.Instant = .now + .seconds(600),
            _ end: @escaping @Sendable (Bool) -> Void
        ) -> PostgreSQLLoop.Wait {
            let text = Guarded("")
            return PostgreSQLLoop.Wait(number: number, socket: ends.reading, deadline: deadline) {
                var bytes = [UInt8](repeating: 0, count: 16)
                let count = read(self.ends.reading, &bytes, bytes.count)
                if count <= 0 { return count == 0 }
                return text.withLock { text in
                    text += String(decoding: bytes.prefix(count), as: UTF8.self)
                    return text.hasSuffix(".")
                }
            } end: {
                end($0)
            }
        }
    }

    private let loop = PostgreSQLLoop()

    private func answer(
        _ connection: Connection,
        until deadline: ContinuousClock.Instant = .now + .seconds(600)
    ) -> AsyncStream<Bool> {
        let (stream, continuation) = AsyncStream<Bool>.makeStream()
        loop.add(connection.wait(until: deadline) { continuation.yield($0) })
        return stream
    }

    @Test func `an answer is there when all of it has come`() async throws {
        let connections = (1...20).map { Connection($0) }
        for _ in 0..<20 {
            let answers = connections.map { answer($0) }
            for connection in connections { connection.send("a") }
            for connection in connections.reversed() { connection.send("b.") }
            for answer in answers { expect(await answer.first { _ in true }, equals: true) }
        }
        loop.stop()
    }

    @Test func `an end comes in place of an answer, and with the time`() async throws {
        var silent = Connection(1)
        let late = answer(silent, until: .now + .milliseconds(20))
        expect(await late.first { _ in true }, equals: false)
        let lost = answer(silent)
        silent.end()
        expect(await lost.first { _ in true }, equals: true)
        // Another connection may have its socket.
        silent = Connection(2)
        let next = answer(silent)
        silent.send(".")
        expect(await next.first { _ in true }, equals: true)
        loop.stop()
    }

    @Test func `who waits for another answer where one is given does not wait in vain`()
        async throws
    {
        let connections = (1...3).map { Connection($0) }
        let semaphores = (0..<3).map { _ in DispatchSemaphore(value: 0) }
        let (stream, continuation) = AsyncStream<Int>.makeStream()
        for index in 0..<3 {
            loop.add(
                connections[index].wait { _ in
                    // The last one is answered last.
                    if index < 2 { semaphores[index + 1].wait() }
                    continuation.yield(index)
                    semaphores[index].signal()
                }
            )
        }
        for connection in connections { connection.send(".") }
        var order: [Int] = []
        for await index in stream.prefix(3) { order.append(index) }
        expect(order, equals: [2, 1, 0])
        loop.stop()
    }
}
