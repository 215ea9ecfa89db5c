import ModelKitEssentials

extension LibpqWire {
    func makeCancel() -> (@Sendable () -> Void)? {
        guard isOpen else { return nil }
        if let cancelling = functions.cancelling {
            guard let pointer = cancelling.create(connection) else { return nil }
            let handle = Handle(pointer, cancelling.finish)
            return {
                guard cancelling.start(handle.pointer) == 1 else { return }
                let polling = LibpqPolling {
                    cancelling.poll(handle.pointer)
                } socket: {
                    cancelling.socket(handle.pointer)
                }
                _ = polling.finish(until: .now + .seconds(10))
            }
        }
        guard let pointer = functions.getCancel(connection) else { return nil }
        let handle = Handle(pointer, functions.freeCancel)
        return { [cancel = functions.cancel] in
            withUnsafeTemporaryAllocation(of: CChar.self, capacity: 256) { reason in
                _ = cancel(handle.pointer, reason.baseAddress, 256)
            }
        }
    }

    /// What knows how to cancel, also when the connection is gone.
    private final class Handle: Sendable {
        // Safe: the closure that has it is called once.
        nonisolated(unsafe) let pointer: OpaquePointer
        private let free: PostgreSQLLibrary.Functions.Free

        init(_ pointer: OpaquePointer, _ free: @escaping PostgreSQLLibrary.Functions.Free) {
            (self.pointer, self.free) = (pointer, free)
        }

        deinit { free(pointer) }
    }
}
