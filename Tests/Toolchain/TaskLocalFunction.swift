// An optional function as a task-local value. `ModelKitDiagnostics.TaskHandler` is the mend.
final class Handler: Sendable {
    let handler: @Sendable (Int) -> Void
    init(_ handler: @escaping @Sendable (Int) -> Void) { self.handler = handler }
}

enum Values {
    @TaskLocal static var function: (@Sendable (Int) -> Void)?
    @TaskLocal static var object: Handler?
}

@main struct Main {
    static func main() {
        if CommandLine.arguments.contains("mended") {
            Values.$object.withValue(Values.object) { print("right") }
        } else {
            Values.$function.withValue(Values.function) { print("right") }
        }
    }
}
