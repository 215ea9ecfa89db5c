import ModelKitEssentials

/// What libpq does by and by, whenever something can be read or written: connecting and cancelling.
struct LibpqPolling {
    enum Outcome { case done, failed, timedOut }

    /// Goes on with it; says what it waits for, as in libpq-fe.h.
    let poll: () -> Int32
    /// Another one each time, as there may be several servers.
    let socket: () -> Int32

    func finish(until deadline: ContinuousClock.Instant) -> Outcome {
        var events = POLLOUT
        while case let milliseconds = deadline.milliseconds, milliseconds > 0 {
            guard Self.wait(for: Int16(events), of: socket(), milliseconds) else { continue }
            switch poll() {
            case 1: events = POLLIN
            case 2: events = POLLOUT
            case 3: return .done
            default: return .failed
            }
        }
        return .timedOut
    }

    /// Waits until something can be read from a socket or written to it, or be read from another file; -1 for none.
    ///
    /// - Returns: False if the time was over, or a signal came.
    static func wait(
        for events: Int16,
        of socket: Int32,
        _ milliseconds: Int32,
        or other: Int32 = -1
    ) -> Bool {
        var descriptors = [
            pollfd(fd: socket, events: events, revents: 0),
            pollfd(fd: other, events: Int16(POLLIN), revents: 0),
        ]
        return ModelKitEssentials.poll(&descriptors, 2, milliseconds) > 0
    }
}
