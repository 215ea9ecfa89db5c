import Foundation

/// Runs a test on a thread with the stack that threads have on Apple platforms.
func onSmallStack(_ body: @escaping @Sendable () -> Void) {
    let isDone = DispatchSemaphore(value: 0)
    let thread = Thread {
        body()
        isDone.signal()
    }
    thread.stackSize = 512 * 1024
    thread.start()
    isDone.wait()
}
