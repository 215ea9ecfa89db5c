package import ModelKitEssentials

/// The time that rules of dates compare with.
package enum Now {
    /// What the task reads it from; nil where that is the system's clock.
    @TaskLocal package static var source: (any Source)?

    static var date: Date { source?.read() ?? Date() }

    /// Not a closure: of the type of an optional one the optimised build finds no metadata.
    package protocol Source: AnyObject, Sendable {
        func read() -> Date
    }
}
