import FitIQAPI
import JSON
import MockServer
import TestSupport

/// A mark that an operator can return to, with the world's state at that time.
struct SimulatedMark {
    let name: String
    let number: Int
    let state: [UInt8]
    /// Whether the world had no work in progress that would complete immediately after a rewind.
    let isExact: Bool
}

/// An unused fork, with its export, which must not change.
struct FrozenFork {
    let id: String
    let state: [UInt8]
}

/// An operator who controls sockets, rewinds worlds and forks them, in runs with faults.
extension Simulator {
    // MARK: Sockets

    func actOnSocket(in world: SimulatedWorld) {
        let sockets = operate(in: world, .get, "sockets")?.json?["sockets"]?.array ?? []
        guard !sockets.isEmpty else { return }
        let socket = draw.element(of: sockets)
        guard let number = socket["connection"]?.int else { return }
        // The socket may be closing or silent, and the previous action's last byte may have closed it.
        let (path, others) = ("sockets/\(number)/", [409])
        switch socket["state"] == "silent" && draw.once(in: 2) ? 6 : draw.below(9) {
        case 0, 1:
            byHandCount += 1
            operate(
                in: world, .post, path + "send",
                "{\"json\":{\"type\":\"note\",\"by_hand\":\(byHandCount)}}", mayBe: others)
        case 2:
            let templates = operate(in: world, .get, "sockets/\(number)")?.json?["templates"]?.array ?? []
            guard !templates.isEmpty, let type = draw.element(of: templates)["type"]?.string else { return }
            operate(in: world, .post, path + "send", "{\"template\":\"\(type)\"}", mayBe: others)
        case 3: operate(in: world, .post, path + "send", #"{"text":"by hand","opcode":"ping"}"#, mayBe: others)
        case 4:
            let code = draw.element(of: [1000, 1001, 1011, 4000])
            operate(in: world, .post, path + "close", "{\"code\":\(code),\"reason\":\"by hand\"}", mayBe: others)
        case 5: operate(in: world, .post, path + "silence", "{}", mayBe: others)
        case 6: operate(in: world, .post, path + "resume", "{}", mayBe: others)
        case 7: operate(in: world, .post, path + "finish", "{}", mayBe: others)
        default: operate(in: world, .post, path + "reset", "{}", mayBe: others)
        }
    }

    /// Records the arrival of a frame that an operator sent.
    func heardByHand(_ number: Int) {
        guard 1...byHandCount ~= number, heardNumbers.insert(number).inserted
        else { return fail("the frame \(number), sent by hand, arrived twice, or before it was sent", in: nil) }
    }

    // MARK: Marks

    func state(of world: String) -> [UInt8]? { askAsOperator(.get, "worlds/\(world)/state")?.body }

    func setMark(in world: SimulatedWorld) {
        guard let state = state(of: world.name),
            let totals = engine.inspectBackend(ofWorld: world.id, { $0.inspectTotals() }),
            let mark = operate(in: world, .post, "marks", "{}", mayBe: [507])?.json,
            let name = mark["name"]?.string, let number = mark["number"]?.int
        else { return }
        let isQuiet = totals.answers == 0 && totals.processing == 0
        world.marks.append(SimulatedMark(name: name, number: number, state: state, isExact: world.isManual || isQuiet))
    }

    /// Rewinds a world, and checks that its state is the same as before and that no socket is open.
    func goBack(in world: SimulatedWorld) {
        guard !world.marks.isEmpty else { return }
        // Held items are either released first or discarded; input behind them arrives afterwards.
        if draw.once(in: 2) { letAllContinue(in: world) }
        let isStill = engine.inspectWorld(world.id)?.heldCount == 0
        let mark = draw.element(of: world.marks)
        let to = draw.once(in: 2) ? "\"\(mark.name)\"" : "\(mark.number)"
        let sockets = draw.element(of: ["close", "finish", "reset"])
        let body = "{\"to\":\(to),\"sockets\":\"\(sockets)\"}"
        guard operate(in: world, .post, "rewind", body) != nil else { return }
        world.marks.removeAll { $0.number > mark.number }
        guard isStill, failure == nil else { return }
        if mark.isExact, let state = state(of: world.name), state != mark.state {
            return fail("after going back to \(mark.name) another state is exported", in: world)
        }
        let open = operate(in: world, .get, "sockets")?.json?["sockets"]?.array?.filter { $0["state"] == "open" }
        if open?.isEmpty == false { fail("the world went back, and \(open ?? []) are open", in: world) }
    }

    // MARK: Forks

    /// Forks a world, and checks that the fork has the same export; from then on neither must affect the other.
    func makeFork(of world: SimulatedWorld) {
        checkForks()
        guard failure == nil, let state = state(of: world.name),
            let answer = operate(in: world, .post, "fork", "{}", mayBe: [507])?.json, let id = answer["id"]?.string
        else { return }
        guard let copy = self.state(of: id) else { return }
        if copy != state { return fail("its fork \(id) exports another state", in: world) }
        switch draw.below(3) {
        case 0 where worlds.count < 6: adoptFork(id)
        case 1 where world.isManual && forks.count < 3:
            askAsOperator(.post, "worlds/\(id)/clock", #"{"advance":"5s"}"#)
            if let later = self.state(of: id) { forks.append(FrozenFork(id: id, state: later)) }
        default:
            askAsOperator(.post, "worlds/\(id)/reset", "{}")
            askAsOperator(.delete, "worlds/\(id)")
        }
        if let after = self.state(of: world.name), after != state {
            fail("its fork \(id) was changed, and it changed, too", in: world)
        }
    }

    /// Checks that unused forks do not change, regardless of what happens in the original worlds.
    func checkForks() {
        for fork in forks {
            guard let state = state(of: fork.id), state != fork.state else { continue }
            fail("the fork \(fork.id), which nobody uses, has changed", in: nil)
        }
    }
}
