/** A figure beside what it is meant to be, and whether it is: `×0.57, goal ×0.5: met`. */
export function besideGoal(figure: string, goal: string, met: boolean): string {
  return `${figure}, goal ${goal}: ${met ? 'met' : 'missed'}`;
}
