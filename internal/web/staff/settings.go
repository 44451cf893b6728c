package staff

func settingsRoutes() []Route { return nil }
