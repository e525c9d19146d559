import Testing

@testable import FitIQClient

@Suite("Client schedules")
struct ScheduleTests {
    @Test(
        "A reconnect schedule has a delay before each attempt and a maximum number of attempts",
        arguments: [
            (ReconnectSchedule(), [1, 2, 3, 4, 5]),
            (ReconnectSchedule(.doubling(first: .seconds(1), longest: .seconds(30))), [1, 2, 4, 8, 16]),
            (ReconnectSchedule(.constant(.seconds(5))), [5, 5, 5, 5, 5]),
            (
                ReconnectSchedule(.doubling(first: .seconds(4), longest: .seconds(30)), maximumTries: 7),
                [4, 8, 16, 30, 30, 30, 30]
            ),
        ])
    func reconnects(schedule: ReconnectSchedule, seconds: [Int]) {
        let delays = (0...seconds.count + 1).map { schedule.delay(beforeTry: $0) }
        #expect(delays == [nil] + seconds.map { .seconds($0) } + [nil])
    }

    @Test(
        "The retry delay grows and honours a Retry-After of up to 300 s",
        arguments: [
            (1, nil, 0, 1), (2, nil, 1, 2), (3, nil, 2, nil), (1, 7, 0, 7), (2, 1, 4, 5), (1, 300, 0, 300),
            (1, 301, 0, nil),
        ] as [(Int, Int?, Int, Int?)])
    func retries(attempts: Int, asked: Int?, last: Int, expected: Int?) {
        let delay = RetrySchedule().delay(
            afterAttempts: attempts, asked: asked.map { .seconds($0) }, last: .seconds(last))
        #expect(delay == expected.map { .seconds($0) })
    }

    @Test("The default settings comply with the guides' limits")
    func defaults() {
        let patience = ClientPatience()
        #expect(patience.pingInterval < .seconds(30))
        #expect(patience.afterOwnClose >= .seconds(3) && patience.afterTooMany >= .seconds(60))
        #expect(patience.mealEvent < .seconds(5) && patience.mealEvent > .milliseconds(4500))
        #expect(MealPolling().interval >= .seconds(5) && MealPolling().maximumPolls <= 12)
        #expect(RetrySchedule().maximumAttempts <= 3 && RetrySchedule().firstDelay >= .seconds(1))
    }
}
