package import ModelKitModels

extension ModelSchema {
    /// The greatest number that, given as an identifier, the numbers made for others go on after.
    ///
    /// Greater ones leave the sequence where it is, so that nobody uses it up with one record, and made
    /// numbers stay below 2⁵³, which JavaScript reads exactly.
    package var greatestFollowed: Int64 { min(greatestNumber / 2, 1 << 52) }

    /// The greatest last number that a file may say, beyond which it is not followed.
    ///
    /// Files of earlier versions may hold the end of the range, to which a given number had moved the
    /// sequence; nobody has made so many numbers, where the range is a large one.
    package var greatestKept: Int64 {
        greatestNumber < Int64(Int32.max) ? greatestNumber : greatestNumber - 1 << 20
    }

    /// The last number of the sequence once a record has a number as its identifier that was given.
    package func lastNumber(_ last: Int64, given number: Int64) -> Int64 {
        number > greatestFollowed ? last : max(last, number)
    }

    /// The number to make an identifier of; nil where none is left.
    ///
    /// - Parameters:
    ///   - last: The last number of the sequence.
    ///   - isTaken: Whether a record has a number, which is asked only where one may have.
    /// - Returns: The next number that no record has.
    package func number(
        after last: Int64,
        isTaken: (Int64) throws -> Bool
    ) rethrows -> Int64? {
        var number = last
        repeat {
            if number >= greatestNumber { return nil }
            number += 1
        } while try number > greatestFollowed && isTaken(number)
        return number
    }

    /// That no number is left.
    package var numbersAreUsedUp: StoreError {
        .unavailable("the numbers for identifiers of \(name) are used up", .notApplied)
    }
}
