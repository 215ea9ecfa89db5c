import ModelKitStores

actor Counter {
    var count = 0

    func add(_ promise: Promise<Int>) {
        _ = promise.map { self.count += $0 }  // error: actor-isolated property 'count'
    }
}
