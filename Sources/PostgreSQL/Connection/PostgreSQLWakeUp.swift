import ModelKitEssentials

/// Ends a wait for what a server sends, from another thread: a pipe that is waited for beside it.
final class PostgreSQLWakeUp: Sendable {
    /// -1 where there is none, as too many files are open: whoever waits then waits for its end.
    let reading: Int32
    private let writing: Int32

    init() {
        var ends: [Int32] = [-1, -1]
        if pipe(&ends) == 0 {
            for end in ends {
                // A process that is started has none of it, and nobody waits for it to be emptied.
                _ = fcntl(end, F_SETFD, FD_CLOEXEC)
                _ = fcntl(end, F_SETFL, O_NONBLOCK)
            }
        }
        (reading, writing) = (ends[0], ends[1])
    }

    deinit {
        for end in [reading, writing] where end >= 0 { _ = close(end) }
    }

    /// Ends the wait that runs, or the next one.
    func send() {
        // A pipe that is full ends it, too.
        _ = withUnsafeBytes(of: 1 as UInt8) { write(writing, $0.baseAddress, 1) }
    }

    /// Forgets that it was sent.
    ///
    /// - Returns: Whether it was.
    func take() -> Bool {
        var bytes = [UInt8](repeating: 0, count: 256)
        var isSent = false
        while read(reading, &bytes, bytes.count) > 0 { isSent = true }
        return isSent
    }
}
