/// Finds the foods in the text, with their amounts and adjectives, in one pass over the tokens.
///
/// An amount belongs to the food after it, `2 eggs`, or otherwise to the food before it, `eggs x2`, `rice (1 cup)`.
struct MealReader {
    let text: TokenText
    private(set) var drafts: [Draft] = []
    private(set) var unknown: [String] = []
    private(set) var isTruncated = false
    /// The number of name look-ups, for tests; each takes at most one step per word of the longest name.
    private(set) var lookUps = 0

    private var index = 0
    /// An amount that is waiting for its food.
    private var pending: Amount?
    /// Whether `of` follows `pending`.
    private var pendingHasOf = false
    /// An energy value that is waiting for its food.
    private var pendingEnergy: Energy?
    /// The amount of each food in a list: `200g each of rice and beans`.
    private var distributed: Amount?
    /// The token after the last draft's name.
    private var endOfName = 0
    /// Whether an unknown word follows `pending`; `pending` then counts that word unless a food follows immediately.
    private var pendingIsTaken = false
    /// Adjectives that are waiting for their food.
    private var adjectives: [Draft.Adjective] = []
    /// Whether nothing separates the current token from the last draft.
    private var isOpen = false
    /// Whether the next food was not eaten: `no cheese`.
    private var isNegated = false

    init(_ text: TokenText) { self.text = text }

    mutating func read() {
        while index < text.count, !isTruncated { step() }
        separate()
        if let pending, !drafts.isEmpty, !isTruncated { note(unused: pending) }
        if let pendingEnergy, !drafts.isEmpty, !isTruncated { note(unknown: pendingEnergy.text) }
    }

    private mutating func step() {
        let phrase = text.word(index + 1).flatMap { next in text.word(index).flatMap { Words.phrases[[$0, next]] } }
        if let (entry, end) = match(at: index) {
            // `sugar free gum` contains no sugar.
            guard let phrase, end == index + 1 else { return nextFood(entry, end: end) }
            return adjective(of: 2, phrase)
        }
        if let phrase { return adjective(of: 2, phrase) }
        let reader = AmountReader(text: text)
        if let dimension = reader.dimension(at: index) {
            adjective(dimension.words, .dimension)
            index = dimension.end
            return
        }
        if let energy = reader.energy(at: index) { return self.energy(energy.energy, end: energy.end) }
        if let reading = reader.read(at: index), amount(reading) { return }
        defer { index += 1 }
        switch text.kind(index) {
        case .word(let word): self.word(word)
        case .comma, .ampersand, .plus, .slash: separate()
        case .dash(let isSpaced): if isSpaced { separate() }
        case .end, .stop:
            separate()
            distributed = nil
        case .close: if isOpen || !startsFood(at: index + 1) { attachAdjectives() }
        case .open, .times, .number, .fraction, nil: break
        }
    }

    // MARK: Foods

    private mutating func match(at start: Int) -> (entry: FoodTable.Entry, end: Int)? {
        lookUps += 1
        return FoodTable.longestMatch(in: text, at: start)
    }

    /// Accepts a name, or only its adjective if a longer overlapping name follows: `fried egg sandwich`.
    private mutating func nextFood(_ entry: FoodTable.Entry, end: Int) {
        for start in index + 1..<max(index + 1, end) {
            guard let word = text.word(start - 1), let standing = Words.standing(of: word), standing != .filler else {
                break
            }
            if let later = match(at: start), later.end > end { return adjective(of: start - index, standing) }
        }
        food(entry, end: end)
    }

    private mutating func food(_ entry: FoodTable.Entry, end: Int) {
        // A brand name may repeat a food that is already counted.
        let isRepeated =
            isOpen && pending == nil && pendingEnergy == nil && distributed == nil && index > endOfName
            && drafts.last.map { $0.amount != nil && $0.entry.food.key == entry.food.key } == true
        index = end
        defer {
            pending = nil
            pendingEnergy = nil
            pendingIsTaken = false
            adjectives = []
        }
        if isNegated {
            // `no milk or sugar` contains neither food.
            isNegated = text.word(end) == "or"
            isOpen = false
            return
        }
        if isRepeated {
            drafts[drafts.count - 1].isRepeated = true
            return
        }
        guard drafts.count < MealParser.maximumItems else {
            isTruncated = true
            return
        }
        // In `2 glorbed eggs`, the unknown word is an adjective.
        var draft = Draft(entry: entry, amount: pending ?? distributed, adjectives: adjectives)
        draft.energy = pendingEnergy
        drafts.append(draft)
        isOpen = true
        endOfName = end
        takeTrailingUnit()
    }

    /// Consumes the unit in `2 pizza slices`; in `apple slices` it has no meaning.
    private mutating func takeTrailingUnit() {
        let amount = drafts[drafts.count - 1].amount
        guard amount?.unit == nil, let word = text.word(index), let unit = UnitWords.units[word],
            !UnitWords.needNumber.contains(word), text.word(index + 1) != "of", match(at: index + 1) == nil
        else { return }
        if amount != nil { drafts[drafts.count - 1].amount?.unit = unit }
        index += 1
    }

    // MARK: Amounts

    /// Assigns an amount to a food; returns false if the amount is only an article.
    private mutating func amount(_ reading: AmountReader.Reading) -> Bool {
        if isMeaningless(reading) {
            index = reading.end
            return true
        }
        if reading.isArticle {
            // `a side of fries` has no amount.
            if let next = text.word(reading.end), Words.vagueNouns.contains(next) { return false }
            if !startsFood(at: reading.end) { return false }
        }
        let isRate = isRate(at: index)
        var reading = reading
        if isOpen, let before = reading.beforeLast, startsFood(at: reading.end) {
            (reading.amount, reading.end, reading.hasOf) = (before.amount, before.end, false)
        }
        index = reading.end
        let amount = reading.amount
        distributed = nil
        if text.hasWords("each of", at: index), startsFood(at: index + 2) {
            wait(for: reading)
            distributed = pending
            index += 2
            return true
        }
        if isOpen, let last = drafts.last?.amount {
            if reading.isMultiplier, last.unit == nil || amount.unit == nil {
                drafts[drafts.count - 1].amount?.multiply(by: amount)
            } else if !startsFood(at: index) {
                weigh(last, amount, isRate: isRate)
            } else {
                wait(for: reading)
            }
        } else if isOpen {
            let goesOn = reading.hasOf || (amount.unit?.isMeasure != true && !reading.isMultiplier)
            if goesOn, startsFood(at: index) { wait(for: reading) } else { assign(amount) }
        } else if let last = drafts.last, pending == nil, isEach {
            if let count = last.amount { weigh(count, amount, isRate: isRate) } else { assign(amount) }
        } else {
            wait(for: reading)
        }
        if pending == nil, isEach { index += 1 }
        return true
    }

    /// Whether an amount is per piece: `3 eggs at 60 g`, `3 eggs à 60 g`, `3 eggs (each 60 g)`.
    private func isRate(at start: Int) -> Bool {
        guard start > 0 else { return false }
        return ["at", "each"].contains(text.word(start - 1) ?? "") || text.source(start - 1..<start) == "à"
    }

    /// Handles `2 chicken breasts (240g)` and `2 chicken breasts, 120g each`, where the weight is more precise than the
    /// count.
    private mutating func weigh(_ count: Amount, _ weight: Amount, isRate: Bool) {
        guard weight.unit?.isMeasure == true, count.unit?.isMeasure != true else {
            if !count.isAbout(weight) { note(unused: weight) }
            return
        }
        drafts[drafts.count - 1].amount = weight
        if isEach || isRate { drafts[drafts.count - 1].amount?.multiply(by: count) }
    }

    /// Assigns an amount to the last food, or, as in `rice and beans, 200g each`, to all foods without one.
    private mutating func assign(_ amount: Amount) {
        drafts[drafts.count - 1].amount = amount
        guard isEach else { return }
        for index in drafts.indices.dropLast().reversed() {
            guard drafts[index].amount == nil else { return }
            drafts[index].amount = amount
        }
    }

    /// Assigns an energy value to the food after it, or otherwise to the food before it.
    private mutating func energy(_ energy: Energy, end: Int) {
        let start = index
        let isOf = text.word(end - 1) == "of"
        index = end
        if isNegated { return }
        if startsFood(at: end), isOf || !isOpen {
            if let pendingEnergy { note(unknown: pendingEnergy.text) }
            pendingEnergy = energy
            // `a 200-calorie muffin`.
            if pending == nil, !isOf, text.word(start - 1).map(NumberWords.articles.contains) == true {
                pending = Amount(value: 1, text: "1")
            }
        } else if let last = drafts.last, pending == nil, last.energy == nil, !isTotal {
            var energy = energy
            if isEach {
                if let amount = last.amount, amount.unit?.isMeasure != true { energy.kilocalories *= amount.value }
                index += 1
            }
            drafts[drafts.count - 1].energy = energy
        } else if pendingEnergy == nil, drafts.isEmpty || pending != nil {
            pendingEnergy = energy
        } else {
            note(unknown: energy.text)
        }
    }

    /// Whether the energy is the total of several foods.
    private var isTotal: Bool { ["total", "altogether"].contains(text.word(index) ?? "") }

    private var isEach: Bool { ["each", "apiece", "per"].contains(text.word(index) ?? "") }

    private mutating func wait(for reading: AmountReader.Reading) {
        let old = pendingIsTaken ? nil : pending
        let oldHasOf = pendingHasOf
        pendingHasOf = reading.hasOf
        pendingIsTaken = false
        isOpen = false
        // The can adds nothing to `330 ml can of cola`.
        if old?.unit?.isMeasure == true, reading.isBareUnit { return }
        pending = reading.amount
        guard let old else { return }
        if reading.isMultiplier, old.unit == nil || reading.amount.unit == nil {
            pending = old
            pending?.multiply(by: reading.amount)
            return
        }
        // `2 (120g) chicken breasts`.
        if old.unit == nil, reading.amount.unit?.isMeasure == true {
            pending?.multiply(by: old)
        } else if old.isAbout(reading.amount) {
            // Two measures are equivalent: `1 cup (240ml) milk`. The weight is more precise.
            if old.unit?.grams != nil { pending = old }
        } else if old.unit?.isMeasure != true, reading.amount.unit?.isMeasure == true, oldHasOf {
            // `2 servings of 100g rice`.
            pending?.multiply(by: Amount(value: old.value, text: old.text, assumption: old.assumption))
        } else {
            note(unused: old)
        }
    }

    /// Reports an amount without a food as an unknown word, so that no text is dropped silently.
    private mutating func note(unused amount: Amount) { if !isNegated { note(unknown: amount.text) } }

    private mutating func note(unknown words: String) {
        if unknown.count < MealParser.maximumUnknownWords { unknown.append(words) }
    }

    /// Whether a number does not count a food: `at 8`, `8 am`, `1st`, `140 kcal`.
    private mutating func isMeaningless(_ reading: AmountReader.Reading) -> Bool {
        guard !reading.isArticle, reading.amount.unit == nil else { return false }
        if let next = text.word(reading.end), Self.afterNoAmount.contains(next) { return true }
        return index > 0 && text.word(index - 1) == "at" && !startsFood(at: reading.end)
    }

    private static let afterNoAmount = Words.set("am pm st nd rd th oclock min mins minutes minute hours hour km years")

    /// Whether a food starts here, after at most four words that may precede its name.
    private mutating func startsFood(at start: Int) -> Bool {
        let start = AmountReader(text: text).dimension(at: start)?.end ?? start
        for index in start..<start + 5 {
            if match(at: index) != nil { return true }
            guard let word = text.word(index), Words.standing(of: word) != nil else { return false }
        }
        return false
    }

    // MARK: Words

    private mutating func word(_ word: String) {
        if Words.negations.contains(word) {
            separate()
            isNegated = true
            return
        }
        if Words.separators.contains(word) {
            if word == "or", isNegated { return }
            return separate()
        }
        // In `1 bunch of grapes`, the word has an amount; in `2 rolls with 10 g butter each`, two foods share an
        // amount.
        let isUnused =
            pending?.unit == nil && pending != nil && Words.vagueNouns.contains(word)
            || pending == nil && drafts.count > 1 && ["each", "apiece"].contains(word)
                && AmountReader(text: text).read(at: index + 1) == nil
        if !isUnused, let standing = Words.standing(of: word) { return adjective(word, standing) }
        adjectives = []
        if pending != nil, !isNegated { pendingIsTaken = true }
        note(unknown: text.source(index..<index + 1))
    }

    private mutating func adjective(of count: Int, _ standing: Words.Standing) {
        adjective((0..<count).compactMap { text.word(index + $0) }.joined(separator: " "), standing)
        index += count
    }

    private mutating func adjective(_ words: String, _ standing: Words.Standing) {
        guard standing != .filler, !isNegated else { return }
        let adjective = Draft.Adjective(words: words, standing: standing)
        // `eggs scrambled`.
        if isOpen, let last = drafts.last, FoodTable.entries["\(words) \(last.entry.singular)"] != nil {
            drafts[drafts.count - 1].add(adjective)
        } else if adjectives.count < Draft.mostAdjectives {
            adjectives.append(adjective)
        }
    }

    // MARK: Separators

    /// Ends a group and assigns a remaining amount to the food before it: `rice, 1 cup, beans, 2 cups`.
    private mutating func separate() {
        attachAdjectives()
        if let amount = pending, pendingIsTaken || (drafts.last.map { $0.amount == nil } ?? false) {
            if !pendingIsTaken { assign(amount) }
            pending = nil
        }
        pendingIsTaken = false
        isOpen = false
        isNegated = false
    }

    /// Attaches adjectives that follow their food: `chicken breast, grilled`, `eggs (large)`.
    private mutating func attachAdjectives() {
        guard !drafts.isEmpty, pending == nil else { return }
        for adjective in adjectives { drafts[drafts.count - 1].add(adjective) }
        adjectives = []
    }
}

/// A food in the text, before its amount is computed.
struct Draft: Sendable {
    var entry: FoodTable.Entry
    var amount: Amount?
    /// The adjectives outside the name, folded, in the order of the text.
    var adjectives: [Adjective] = []
    /// The energy stated in the text.
    var energy: Energy?
    /// Whether the text repeats the name: `granola from Jordans crunchy granola`.
    var isRepeated = false

    static let mostAdjectives = 4

    struct Adjective: Equatable, Sendable {
        var words: String
        var standing: Words.Standing
    }

    init(entry: FoodTable.Entry, amount: Amount? = nil, adjectives: [Adjective] = []) {
        (self.entry, self.amount) = (entry, amount)
        for adjective in adjectives { add(adjective) }
    }

    /// Adds an adjective, or switches to the food whose name contains it; a `scrambled` egg is a different food.
    mutating func add(_ adjective: Adjective) {
        if let named = FoodTable.entries["\(adjective.words) \(entry.singular)"] {
            let plural = FoodTable.entries[named.plural]
            entry = entry.isPlural ? plural ?? named : named
        } else if adjectives.count < Self.mostAdjectives, !adjectives.contains(adjective) {
            adjectives.append(adjective)
        }
    }
}
