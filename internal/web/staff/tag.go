package staff

func tagRoutes() []Route { return nil }
