package staff

func findRoutes() []Route { return nil }
