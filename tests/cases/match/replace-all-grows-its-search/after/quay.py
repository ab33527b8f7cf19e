crane_arm = 1
lift(crane_arm)
