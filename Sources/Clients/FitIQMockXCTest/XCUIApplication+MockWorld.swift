#if canImport(XCUIAutomation)
    import FitIQMockTesting
    import XCUIAutomation

    extension XCUIApplication {
        /// Launches the app with a world as its backend; environment variables such as `FITIQ_MOCK_URL` describe the
        /// world.
        ///
        /// docs/app.md in fitiq-mock shows how the app reads these variables.
        @MainActor
        public func launch(with world: MockWorld) {
            launchEnvironment.merge(world.environment) { $1 }
            launch()
        }
    }
#endif
