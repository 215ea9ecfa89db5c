import Foundation
import ModelKitPostgreSQL
import ModelKitStores
import Testing

/// A way to the server that all suites share, in one of the modes.
struct PostgreSQLRoute: Sendable, CustomTestStringConvertible {
    let mode: PostgreSQLMode

    private static let environment = ProcessInfo.processInfo.environment

    /// Those for which everything is installed; that of `MODELKIT_MODE` alone, if it says one.
    static let all = [PostgreSQLMode.direct, .pooled, .portable]
        .filter { $0 != .pooled || PgBouncer.isInstalled }
        .filter { environment["MODELKIT_MODE"] ?? "\($0)" == "\($0)" }.map(PostgreSQLRoute.init)

    var testDescription: String { "\(mode)" }

    /// By which what is random in tests is the same again: that of `MODELKIT_SEED`.
    static let seed =
        environment["MODELKIT_SEED"].flatMap(UInt64.init)
        ?? .random(in: 0 ... .max)

    /// A server that knows nothing of what is PostgreSQL's alone.
    static let engine = PostgreSQLEngine(seed: seed)
    private static let proxy = Result { try PostgreSQLProxy(to: .shared, engine) }

    func connection() throws -> String {
        switch mode {
        case .direct: try PostgreSQLServer.shared.connection()
        case .pooled: try PgBouncer.shared.connection()
        case .portable: try Self.proxy.get().connection()
        }
    }

    func store(
        _ space: String,
        connections: Int = 2,
        deadline: Duration = .seconds(60),
        events: StoreEvents? = nil
    ) throws -> PostgreSQLModelStore {
        try PostgreSQLModelStore(
            connection(),
            PostgreSQLOptions(connections: connections, mode: mode, deadline: deadline),
            schema: space,
            events: events
        )
    }
}
