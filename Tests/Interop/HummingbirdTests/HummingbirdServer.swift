import Hummingbird
import HummingbirdAdapter
import ModelKitREST
import ServiceLifecycle

/// Has Hummingbird serve what answers requests for as long as a closure runs, which gets the address.
func withServer(
    _ handler: any HTTPTransport,
    bodySize: Int = 1 << 20,
    _ body: @Sendable @escaping (String) async throws -> Void
) async throws {
    let (ports, port) = AsyncStream.makeStream(of: Int.self)
    var application = Application(
        responder: RESTResponder(handler, bodySize: bodySize),
        configuration: ApplicationConfiguration(address: .hostname("127.0.0.1", port: 0)),
        onServerRunning: { channel in
            port.yield(channel.localAddress?.port ?? 0)
            port.finish()
        }
    )
    application.logger.logLevel = .critical
    let group = ServiceGroup(
        configuration: ServiceGroupConfiguration(
            services: [application],
            logger: application.logger
        )
    )
    try await withThrowingTaskGroup(of: Void.self) { tasks in
        tasks.addTask { try await group.run() }
        for await port in ports {
            do {
                try await body("http://127.0.0.1:\(port)")
            } catch {
                await group.triggerGracefulShutdown()
                throw error
            }
        }
        await group.triggerGracefulShutdown()
        try await tasks.waitForAll()
    }
}
