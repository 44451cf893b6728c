package staff

func requestRoutes() []Route { return nil }
