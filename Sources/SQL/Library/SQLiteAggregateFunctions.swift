/// The C functions of the system's SQLite by which a program brings an aggregate of its own.
///
/// Nobody else has to bring them, as what they are for can be done without, only slower.
struct SQLiteAggregateFunctions: Sendable {
    typealias Handle = OpaquePointer?
    typealias Step = @convention(c) (Handle, Int32, UnsafeMutablePointer<Handle>?) -> Void
    typealias Finish = @convention(c) (Handle) -> Void
    typealias Free = SQLiteLibrary.Functions.Destructor

    let create:
        @convention(c) @Sendable (
            Handle, UnsafePointer<CChar>?, Int32, Int32, UnsafeMutableRawPointer?, Step?, Step?,
            Finish?, Free?
        ) -> Int32
    let context: @convention(c) @Sendable (Handle, Int32) -> UnsafeMutableRawPointer?
    let valueType: @convention(c) @Sendable (Handle) -> Int32
    let valueInt64: @convention(c) @Sendable (Handle) -> Int64
    let valueDouble: @convention(c) @Sendable (Handle) -> Double
    let result: @convention(c) @Sendable (Handle, UnsafeRawPointer?, Int32, Free?) -> Void

    /// A constant, as a C function captures nothing.
    static let system = (try? SQLiteLibrary.system)?.functions.aggregates
}
