import java.io.BufferedReader;
import java.io.FileReader;
import java.io.InputStreamReader;
import java.util.HashMap;
import java.util.Map;
import weka.core.Instances;

/** Fits Weka's J48 and asks it, a line of standard input at a time. */
public class J48 {
    /** Answer "fit NAME FILE" by leaves and seconds, and "predict NAME FILE" by seconds and rows. */
    public static void main(String[] arguments) throws Exception {
        BufferedReader input = new BufferedReader(new InputStreamReader(System.in));
        Map<String, weka.classifiers.trees.J48> models = new HashMap<>();
        for (String line = input.readLine(); line != null; line = input.readLine()) {
            String[] words = line.split(" ", 3);
            Instances rows = new Instances(new BufferedReader(new FileReader(words[2])));
            rows.setClassIndex(rows.numAttributes() - 1);
            if (words[0].equals("fit")) {
                models.put(words[1], fit(rows));
            } else {
                predict(models.get(words[1]), rows);
            }
            System.out.flush();
        }
    }

    static weka.classifiers.trees.J48 fit(Instances rows) throws Exception {
        weka.classifiers.trees.J48 tree = new weka.classifiers.trees.J48();
        long start = System.nanoTime();
        tree.buildClassifier(rows);
        double seconds = (System.nanoTime() - start) / 1e9;
        System.out.println(tree.measureNumLeaves() + " " + seconds);
        return tree;
    }

    static void predict(weka.classifiers.trees.J48 tree, Instances rows) throws Exception {
        double[][] shares = new double[rows.numInstances()][];
        long start = System.nanoTime();
        for (int i = 0; i < shares.length; i++) {
            shares[i] = tree.distributionForInstance(rows.instance(i));
        }
        System.out.println((System.nanoTime() - start) / 1e9);
        for (double[] row : shares) {
            StringBuilder text = new StringBuilder();
            for (double share : row) {
                text.append(share).append(' ');
            }
            System.out.println(text.toString().trim());
        }
    }
}
