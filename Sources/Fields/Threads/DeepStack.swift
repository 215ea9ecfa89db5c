/// Evaluations and models that are nested so deeply that the stack ends.
///
/// The first evaluation of a long chain calls the closure of each from within that of the next. Near
/// the end of the stack it goes on on that of another thread, for which this one waits. Of the values of the
/// task only the library's are seen there.
package enum DeepStack {
    /// Runs a closure: here, or where there is more room.
    ///
    /// - Parameters:
    ///   - depth: How many are nested already; without it the stack is looked at.
    ///   - body: The closure.
    package static func run(atDepth depth: Int = .max, _ body: () -> Void) {
        if StackRoom.isEnough(atDepth: depth) { return body() }
        let here = ThreadState.current
        var state = here.pointee
        let values = TaskValues()
        withoutActuallyEscaping(body) { body in
            StackRoom.runElsewhere {
                // This one itself, where no other thread could be made.
                let there = ThreadState.current
                let before = there.pointee
                there.pointee = state
                values.run(body)
                state = there.pointee
                there.pointee = before
            }
        }
        (here.pointee.setAt, here.pointee.looks) = (state.setAt, state.looks)
    }

    /// Runs a closure that gives something, or throws.
    package static func result<Result, Failure: Error>(
        atDepth depth: Int,
        _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        var result: Swift.Result<Result, Failure>?
        run(atDepth: depth) { result = Swift.Result { () throws(Failure) in try body() } }
        // It is there: the closure was run.
        guard let result else { return try body() }
        return try result.get()
    }
}
