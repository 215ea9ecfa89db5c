import Dispatch
import Foundation

/// Runs a closure on a thread with a small stack and waits for it.
func onSmallStack(_ size: Int = 512 * 1024, _ body: @escaping @Sendable () -> Void) {
    let done = DispatchSemaphore(value: 0)
    let thread = Thread {
        body()
        done.signal()
    }
    thread.stackSize = size
    thread.start()
    done.wait()
}

/// Starts a thread and gives a closure that waits for its end.
func startThread(_ body: @escaping @Sendable () -> Void) -> @Sendable () -> Void {
    let done = DispatchSemaphore(value: 0)
    Thread {
        body()
        done.signal()
    }.start()
    return { done.wait() }
}

/// Starts a thread and gives a closure that waits for its end, and returns whether it came.
func startWork(_ body: @escaping @Sendable () -> Void) -> @Sendable () -> Bool {
    let done = DispatchSemaphore(value: 0)
    Thread {
        body()
        done.signal()
    }.start()
    return { done.wait(timeout: .now() + 120) == .success }
}
