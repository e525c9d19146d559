import FitIQAPI
import JSON
import Testing

@testable import FitIQBackend

@Suite("The meal socket") struct MealSocketTests {
    private static let ping = #"{"type":"ping"}"#

    @Test("The meal socket accepts only pings and rejects everything else with a code")
    func frames() throws {
        var (world, anna) = try World().withUser("anna")
        world.backend.openMealSocket(SocketID(1), by: anna, &world.turn)
        let connected = try #require(world.takeEffects().texts(of: 1).first)
        #expect(connected == #"{"type":"connected","user_id":"anna","timestamp":"2025-01-29T10:30:00Z"}"#)
        world.send(Self.ping, from: 1)
        #expect(world.takeEffects().texts(of: 1) == [#"{"type":"pong","timestamp":"2025-01-29T10:30:00Z"}"#])
        let bad = [
            (#"{"type":"message","content":"Hello"}"#, "accepts only \"ping\" frames"),
            (#"{"type":"user_message"}"#, "accepts only \"ping\" frames"), ("{}", "accepts only \"ping\" frames"),
            (#"{"type":1}"#, "accepts only \"ping\" frames"), ("hello", "is not valid JSON"), ("[]", "one JSON object"),
        ]
        for (text, part) in bad {
            world.send(text, from: 1)
            let frame = try #require(world.takeEffects().frames(of: 1).first)
            #expect(frame["type"] == "error" && frame["error_code"] == "SERVER_ERROR", "\(text)")
            #expect(frame["error"]?.string?.contains(part) == true, "\(frame)")
            #expect(frame.object?.keys == ["type", "error", "error_code", "timestamp"])
        }
        world.backend.receiveBinary(from: SocketID(1), &world.turn)
        #expect(world.takeEffects().frames(of: 1).first?["error"]?.string?.contains("binary") == true)
        #expect(world.backend.consultationCount == 0 && world.backend.openSocketCount == 1)
    }

    @Test("The meal socket gets all of its user's meal events, as a consultation socket does")
    func events() throws {
        var (world, anna, ben) = try World().withTwoUsers("anna", "ben")
        try world.open(1, on: try world.create(by: anna), by: anna)
        world.backend.openMealSocket(SocketID(2), by: anna, &world.turn)
        world.backend.openMealSocket(SocketID(3), by: ben, &world.turn)
        _ = world.takeEffects()
        _ = try world.mealID(by: anna)
        let effects = world.takeEffects(after: 5000)
        #expect(effects.story(of: 1) == ["meal_log.completed"])
        #expect(effects.texts(of: 2) == effects.texts(of: 1) && effects.story(of: 3).isEmpty)
        world.close(2)
        _ = try world.mealID(by: anna)
        #expect(world.takeEffects(after: 5000).story(of: 2).isEmpty && world.backend.openSocketCount == 2)
    }

    @Test("A new meal socket closes the user's previous meal socket")
    func single() throws {
        var (world, anna, ben) = try World().withTwoUsers("anna", "ben")
        world.backend.openMealSocket(SocketID(1), by: anna, &world.turn)
        world.backend.openMealSocket(SocketID(2), by: ben, &world.turn)
        _ = world.takeEffects()
        world.backend.openMealSocket(SocketID(3), by: anna, &world.turn)
        let effects = world.takeEffects()
        #expect(effects.story(of: 1) == ["error", "close 1008 Replaced by a newer connection"])
        #expect(effects.frames(of: 1).first?["error_code"] == "CONNECTION_LIMIT")
        #expect(effects.story(of: 2).isEmpty && effects.story(of: 3) == ["connected"])
        world.send(Self.ping, from: 1)
        world.close(1)
        world.send(Self.ping, from: 3)
        #expect(world.takeEffects().story(of: 3) == ["pong"] && world.backend.openSocketCount == 2)
        world.backend.closeMealSocket(of: anna, &world.turn)
        world.backend.closeMealSocket(of: anna, &world.turn)
        let ending = world.takeEffects()
        #expect(ending.story(of: 3) == ["error", "close 1008 Account deleted"])
        #expect(ending.frames(of: 3).first?["error_code"] == "AUTH_FAILED")
        #expect(world.backend.openSocketCount == 1)
    }

    @Test("A user can open the meal socket at most ten times per minute")
    func connectionLimit() throws {
        var (world, anna, ben) = try World().withTwoUsers("anna", "ben")
        for number in 1...10 as ClosedRange<UInt64> {
            world.backend.openMealSocket(SocketID(number), by: anna, &world.turn)
            world.close(number)
            world.wait(milliseconds: 1000)
        }
        #expect(world.takeEffects().allSatisfy { if case .close = $0 { false } else { true } })
        world.wait(milliseconds: 49_999)
        world.backend.openMealSocket(SocketID(11), by: anna, &world.turn)
        let refused = world.takeEffects()
        #expect(refused.story(of: 11) == ["error", "close 1008 Too many connections"])
        #expect(refused.frames(of: 11).first?["error_code"] == "CONNECTION_LIMIT")
        #expect(world.backend.openSocketCount == 0)
        world.backend.openMealSocket(SocketID(12), by: ben, &world.turn)
        world.pass(milliseconds: 1)
        world.backend.openMealSocket(SocketID(13), by: anna, &world.turn)
        world.backend.openMealSocket(SocketID(14), by: anna, &world.turn)
        let effects = world.takeEffects()
        #expect(effects.story(of: 12) == ["connected"] && effects.story(of: 13) == ["connected"])
        // Opening one more socket leaves the open socket unchanged.
        #expect(effects.story(of: 14) == ["error", "close 1008 Too many connections"])
        #expect(world.backend.openSocketCount == 2)
    }

    @Test("The meal socket closes after ten minutes without a client frame or a control ping")
    func idle() throws {
        var (world, anna) = try World().withUser("anna")
        world.backend.openMealSocket(SocketID(1), by: anna, &world.turn)
        world.wait(milliseconds: 300_000)
        world.send(Self.ping, from: 1)
        world.wait(milliseconds: 400_000)
        world.backend.heard(from: SocketID(1), &world.turn)
        _ = try world.mealID(by: anna)
        _ = world.takeEffects()
        #expect(world.takeEffects(after: 599_999).story(of: 1) == ["meal_log.completed"])
        #expect(world.takeEffects(after: 1).story(of: 1) == ["close 1000 No frame in 10 minutes"])
        #expect(world.backend.openSocketCount == 0 && world.backend.scheduledStepCount == 0)
        // A frame that the loop delivers late, after the close, does not reopen the socket.
        world.backend.openMealSocket(SocketID(2), by: anna, &world.turn)
        world.pass(milliseconds: 600_001)
        world.backend.heard(from: SocketID(2), &world.turn)
        #expect(world.takeEffects().story(of: 2).last == "close 1000 No frame in 10 minutes")
        // A closed socket is not closed again.
        world.backend.openMealSocket(SocketID(3), by: anna, &world.turn)
        world.close(3)
        #expect(
            world.takeEffects(after: 600_000).story(of: 3) == ["connected"] && world.backend.scheduledStepCount == 0)
    }
}
