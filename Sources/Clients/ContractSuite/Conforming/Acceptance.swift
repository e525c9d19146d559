import FitIQAPI
import JSON
import Scenarios
import Text
import Traffic

/// Repeats the comparison to find the changes that make the fake answer like the server.
extension Conformance {
    /// The overlay created from a comparison's deviations.
    public struct Acceptance: Sendable {
        /// The comparison's overlay with the new changes.
        public fileprivate(set) var overlay: Overlay
        public fileprivate(set) var newCount = 0
        /// The locations of deviations that an overlay cannot express, such as a non-JSON answer.
        public fileprivate(set) var rest: [String] = []
    }

    /// - Parameter session: The session to compare; `compare` need not have been called for it.
    public func accepting(_ session: Session) -> Acceptance {
        var theirs: [Endpoint: [Kind: Known]] = [:]
        Self.learn(session, in: mode, into: &theirs)
        var (conformance, changes) = (self, overlay.changes)
        var known = Set(changes)
        // A change reveals the contents of added members, so each round goes one level deeper.
        for _ in 0..<ScenarioLimits.depth {
            conformance.compare(session, playedIn: nil)
            let new = conformance.endpoints.flatMap { conformance.changes(for: $0, theirs[$0.endpoint] ?? [:]) }
                .filter { known.insert($0).inserted }
                .prefix(max(ScenarioLimits.changes - changes.count, 0))
            guard !new.isEmpty else { break }
            for change in new { conformance.permit(change) }
            changes += new
        }
        return Acceptance(
            overlay: Overlay(changes), newCount: changes.count - overlay.changes.count,
            rest: conformance.endpoints.flatMap { result in
                result.deviations.map { "\(result.title): \($0.place)" }
            })
    }

    /// The changes for an endpoint's deviations; statuses and types come first.
    private func changes(for result: EndpointResult, _ theirs: [Kind: Known]) -> [Overlay.Change] {
        let own = said[result.endpoint] ?? [:]
        let kinds = result.deviations.compactMap { deviation -> Overlay.Change? in
            guard deviation.source.aspect == .kind, let kind = deviation.kind else { return nil }
            guard let before = replaced(by: kind, deviation.source.value, own, theirs) else {
                return Overlay.Change(result.endpoint, kind, .known)
            }
            return Overlay.Change(result.endpoint, before, .becomes(kind))
        }
        guard kinds.isEmpty else { return kinds }
        return Dictionary(grouping: result.deviations.filter { $0.kind != nil }) { $0.kind }.values
            .sorted { $0[0].place < $1[0].place }.flatMap { deviations -> [Overlay.Change] in
                guard let kind = deviations[0].kind else { return [] }
                let shapes = (own[Kind(kind)]?.shape, theirs[Kind(kind)]?.shape)
                var renamed = Self.renames(among: deviations.map(\.source))
                return deviations.map(\.source).compactMap { deviation -> Overlay.Change? in
                    guard [Overlay.Step](path: deviation.member.path) == deviation.member || deviation.member.isEmpty
                    else { return nil }
                    let name = deviation.member.last { $0 != .elements }
                    let text = if case .name(let text)? = name { text } else { "" }
                    let value = deviation.value?.madeUp(under: text, isWord: ValueShape.isWord)
                    let action: Overlay.Action
                    switch deviation.aspect {
                    case .kind, .body: return nil
                    case .mediaType:
                        guard let type = deviation.value?.string, !type.isEmpty else { return nil }
                        action = .contentType(type)
                    case .word:
                        // If the fake has a vocabulary for this member, any text counts as one of the server's words.
                        let isKnown = shapes.0?.words(at: deviation.member[...]).isEmpty == false
                        guard let word = isKnown ? deviation.value : value else { return nil }
                        action = .value(word, insteadOf: Self.words(replacedAt: deviation, shapes.0, shapes.1))
                    case .value:
                        if let new = renamed.removeValue(forKey: deviation.member) {
                            guard let new else { return nil }
                            action = .rename(new)
                        } else if let value {
                            action = .value(value, insteadOf: nil)
                        } else {
                            action = .remove
                        }
                    }
                    return Overlay.Change(result.endpoint, kind, at: deviation.member, action)
                }
            }
    }

    /// The fake's status or type that the server's value replaces, or nil if there is not exactly one candidate that
    /// fits.
    ///
    /// A candidate is a success status, or the type of a message with the same shape, that the server never sends.
    /// Refusals have too many candidates.
    private func replaced(
        by kind: Overlay.Kind, _ value: JSONValue?, _ own: [Kind: Known], _ theirs: [Kind: Known]
    ) -> Overlay.Kind? {
        let candidates = own.keys.filter { theirs[$0] == nil && $0.isMessage == Kind(kind).isMessage }
        switch kind {
        case .status(let status):
            let found = candidates.compactMap { Int($0.text) }.filter((200..<300).contains)
            return found.count == 1 && (200..<300).contains(status) ? .status(found[0]) : nil
        case .type:
            guard let value else { return nil }
            let types = candidates.compactMap { own[$0]?.shape }
                .filter { $0.deviations(of: value).allSatisfy { $0.member == [.name("type")] } }
                .flatMap { $0.words(at: [.name("type")]) }
            return types.count == 1 ? .type(types[0].text) : nil
        }
    }

    /// Renamed members: the old member's path maps to the new name, and the new member's path maps to nil.
    private static func renames(among deviations: [ValueShape.Deviation]) -> [[Overlay.Step]: String?] {
        var renames: [[Overlay.Step]: String?] = [:]
        let values = deviations.filter { $0.aspect == .value && !$0.member.isEmpty }
        let added = values.filter { $0.value != nil && $0.known == ConformMessages.noMember }
        for missing in values where missing.value == nil {
            func isBeside(_ other: ValueShape.Deviation) -> Bool {
                other.member.dropLast() == missing.member.dropLast() && renames[other.member] == nil
            }
            let alone = values.count { $0.value == nil && isBeside($0) } == 1
            let others = added.filter(isBeside)
            let same = others.first { $0.spelling == missing.spelling }
            guard let new = same ?? (alone && others.count == 1 && others[0].found == missing.known ? others[0] : nil),
                case .name(let name)? = new.member.last
            else { continue }
            renames[missing.member] = .some(name)
            renames[new.member] = .some(nil)
        }
        return renames
    }

    /// The fake's words that a server's words replace.
    ///
    /// The two words have the same letters, or each side has exactly one word that the other side does not use.
    private static func words(
        replacedAt deviation: ValueShape.Deviation, _ own: ValueShape?, _ theirs: ValueShape?
    ) -> [String] {
        let (mine, others) = (own?.words(at: deviation.member[...]), theirs?.words(at: deviation.member[...]))
        guard let mine, let others, let word = deviation.value?.string else { return [] }
        let unsaid = mine.subtracting(others).map(\.text)
        if let same = unsaid.first(where: { $0.letters == word.letters }) { return [same] }
        return unsaid.count == 1 && others.subtracting(mine).count == 1 ? unsaid : []
    }
}

extension ValueShape.Deviation {
    fileprivate var spelling: String? { if case .name(let name)? = member.last { name.letters } else { nil } }
}

extension String {
    /// The letters and digits in lower case, so that `created_at` and `createdAt` are equal.
    fileprivate var letters: String { lowercased().filter { $0.isLetter || $0.isNumber } }
}
