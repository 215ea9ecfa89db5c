import Foundation
import Libpq

// What many writers get done, and how long readers wait beside what takes long. Each figure is the median of rounds in
// which all that is compared takes turns. Ends with an error where one is above its limit.
//
//     .ci/postgresql -- swift run -c release PostgreSQLWriters

guard Libpq.hasServer else {
    say("there is no server: run it by .ci/postgresql")
    exit(0)
}
var isGood = true
for width in [16, 64] { isGood = try await measureWriters(width) && isGood }
isGood = try await measureReaders() && isGood
exit(isGood ? 0 : 1)
