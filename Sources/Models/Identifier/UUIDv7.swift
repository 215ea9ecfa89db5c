import ModelKitFields
package import ModelKitEssentials

/// Makes UUIDs of version 7 (RFC 9562): they sort by the time they were made.
///
/// Two made by one process in one millisecond differ by a counter, so they sort, too. Random
/// bits are drawn once for many of them: a system call for each would cost more than the rest.
package enum UUIDv7 {
    package static func make(at date: Date = Date()) -> UUID {
        let milliseconds = UInt64(max(0, date.timeIntervalSince1970 * 1000))
        let (time, count, tail) = generator.withLock { $0.next(milliseconds: milliseconds) }
        func byte(_ number: UInt64, _ shift: UInt64) -> UInt8 {
            UInt8(truncatingIfNeeded: number >> shift)
        }
        return UUID(
            uuid: (
                byte(time, 40), byte(time, 32), byte(time, 24), byte(time, 16),
                byte(time, 8), byte(time, 0),
                0x70 | UInt8(count >> 8), UInt8(truncatingIfNeeded: count),
                0x80 | (byte(tail, 56) & 0x3f), byte(tail, 48), byte(tail, 40), byte(tail, 32),
                byte(tail, 24), byte(tail, 16), byte(tail, 8), byte(tail, 0)
            )
        )
    }

    private static let generator = Guarded(Generator())

    private struct Generator {
        private var lastTime: UInt64 = 0
        /// 12 bits of the counter, then 62 that are random but for their start.
        private var counter: UInt16 = 0
        private var random = SystemRandomNumberGenerator()
        private var state: UInt64 = 0
        private var drawn = 0

        mutating func next(milliseconds: UInt64) -> (UInt64, UInt16, UInt64) {
            if milliseconds > lastTime {
                lastTime = milliseconds
                counter = UInt16(bits() & 0x7ff)
            } else if counter == 0xfff {
                // So many in a millisecond: borrow the next.
                lastTime += 1
                counter = 0
            } else {
                counter += 1
            }
            return (lastTime, counter, bits())
        }

        /// 64 bits that nobody guesses from the ones before without the seed, which is drawn anew
        /// from the system every thousand.
        ///
        /// Identifiers are no secrets; they must not collide.
        private mutating func bits() -> UInt64 {
            if drawn == 0 { state = random.next() }
            drawn = (drawn + 1) % 1000
            state &+= 0x9e37_79b9_7f4a_7c15
            var value = state
            value = (value ^ (value >> 30)) &* 0xbf58_476d_1ce4_e5b9
            value = (value ^ (value >> 27)) &* 0x94d0_49bb_1331_11eb
            return value ^ (value >> 31)
        }
    }
}
