package staff

func itemRoutes() []Route { return nil }
