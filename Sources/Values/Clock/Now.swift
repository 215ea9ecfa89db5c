#if canImport(FoundationEssentials)
package import FoundationEssentials
#else
package import Foundation
#endif

/// The time that rules of dates compare with.
package enum Now {
    /// What the task reads it from; nil where that is the system's clock.
    @TaskLocal package static var reading: (@Sendable () -> Date)?

    static var date: Date { reading?() ?? Date() }
}
